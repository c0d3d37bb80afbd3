import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { callApi, inspectorPath } from '../state/api.ts';
import { NO_USER, showError, showNotice, useConsole } from '../state/console-state.ts';
import { messageGroup } from '../state/message-group.ts';
import { selectItem } from '../state/navigate.ts';
import { REASONS, variablesOf } from '../state/templates.ts';
import { Card, Form } from './card.tsx';

/** Puts a request on the send queue, as an internal system does. */
export const SendCard = () => {
  const contact = useConsole((state) => state.route.user);
  const rules = useConsole((state) => state.rules);
  const [text, setText] = useState('Your parcel arrives *today*.');
  const [template, setTemplate] = useState('');
  // A map, because a template's variable may have the name of a property that every object inherits.
  const [params, setParams] = useState<ReadonlyMap<string, string>>(new Map());
  const [reason, setReason] = useState('');
  const [media, setMedia] = useState({ imageURL: '', audioURL: '', fileURL: '' });
  const rule = rules.find(({ name }) => name === template);
  const variables = variablesOf(rule?.text ?? '');

  const enqueue = async () => {
    if (contact === undefined) return showNotice(NO_USER);
    const requestId = `console-${crypto.randomUUID().slice(0, 8)}`;
    const givenMedia = Object.entries(media).filter(([, url]) => url !== '');
    const values = Object.fromEntries(variables.map((name) => [name, params.get(name) ?? '']));
    const body = {
      requestId,
      platformContactId: contact,
      ...(text !== '' && { messageText: text }),
      ...Object.fromEntries(givenMedia),
      ...(template !== '' && { ruleNameOrId: template, ...(variables.length > 0 && { params: values }) }),
      ...(reason !== '' && { reason }),
    };
    const enqueued = { body, groupId: await messageGroup(contact), deduplicationId: requestId };
    const result = await callApi('POST', inspectorPath('requests'), enqueued);
    if (!result.ok) return showError(result.error);
    showNotice(`Request ${requestId} added to the send queue.`);
    selectItem({ kind: 'request', id: requestId });
  };

  return (
    <Card title="Send a message" note="Via the send queue" open>
      <Form onSubmit={enqueue}>
        <label class="field">
          Free-form text
          <textarea rows={2} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
        </label>
        <div class="row">
          <label class="field grow">
            Template
            <select
              id="send-template"
              value={template}
              onChange={({ currentTarget }) => {
                setTemplate(currentTarget.value);
                setReason(rules.find(({ name }) => name === currentTarget.value)?.category ?? '');
              }}
            >
              <option value="">None</option>
              {rules.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          <label class="field grow">
            Reason
            <select value={reason} onChange={({ currentTarget }) => setReason(currentTarget.value)}>
              <option value="">None</option>
              {REASONS.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
        </div>
        {variables.map((name) => (
          <label class="field" key={name}>
            {`\${${name}}`}
            <input
              value={params.get(name) ?? ''}
              onInput={({ currentTarget }) => setParams(new Map(params).set(name, currentTarget.value))}
            />
          </label>
        ))}
        <details class="more">
          <summary>Media</summary>
          {(['imageURL', 'audioURL', 'fileURL'] as const).map((name) => (
            <label class="field" key={name}>
              {name}
              <input
                type="url"
                placeholder="https://"
                value={media[name]}
                onInput={({ currentTarget }) => setMedia({ ...media, [name]: currentTarget.value })}
              />
            </label>
          ))}
        </details>
        <Button class="primary" disabledReason={contact === undefined ? NO_USER : undefined}>
          Enqueue
        </Button>
      </Form>
    </Card>
  );
};
