import { useState } from 'preact/hooks';
import { Card } from '../parts/card.tsx';
import { notice, store } from '../state/console-state.ts';
import { ask } from '../state/service.ts';
import { useStore } from '../state/store.ts';
import { choose } from '../state/way.ts';
import { REASONS } from './reasons.ts';
import { variablesOf } from './variables-of.ts';

/** Puts a request on the send queue, as one of the business's systems does. */
export const EnqueueCard = () => {
  const contact = useStore(store, (state) => state.user);
  const rules = useStore(store, (state) => state.rules);
  const [text, setText] = useState('Your parcel arrives *today*.');
  const [template, setTemplate] = useState('');
  const [params, setParams] = useState<Readonly<Record<string, string>>>({});
  const [reason, setReason] = useState('');
  const [media, setMedia] = useState({ imageURL: '', audioURL: '', fileURL: '' });
  const rule = rules.find(({ name }) => name === template);
  const variables = variablesOf(rule?.text ?? '');

  const enqueue = async () => {
    if (contact === undefined) return;
    const requestId = `console-${crypto.randomUUID().slice(0, 8)}`;
    const given = Object.entries(media).filter(([, url]) => url !== '');
    const values = Object.fromEntries(variables.map((name) => [name, params[name] ?? '']));
    const body = {
      requestId,
      platformContactId: contact,
      ...(text !== '' && { messageText: text }),
      ...Object.fromEntries(given),
      ...(template !== '' && { ruleNameOrId: template, ...(variables.length > 0 && { params: values }) }),
      ...(reason !== '' && { reason }),
    };
    const asked = await ask('POST', '/machine-room/requests', { body, groupId: contact, deduplicationId: requestId });
    if (!asked.ok) return notice(asked.why, true);
    notice(`The request ${requestId} is on the send queue.`);
    choose({ kind: 'request', id: requestId });
  };

  return (
    <Card title="Send" note="by the send queue" open>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          void enqueue();
        }}
      >
        <label class="field">
          Free-form text
          <textarea rows={2} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
        </label>
        <div class="row">
          <label class="field grow">
            Template
            <select
              value={template}
              onChange={({ currentTarget }) => {
                setTemplate(currentTarget.value);
                setReason(rules.find(({ name }) => name === currentTarget.value)?.category ?? '');
              }}
            >
              <option value="">none</option>
              {rules.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          <label class="field grow">
            Reason
            <select value={reason} onChange={({ currentTarget }) => setReason(currentTarget.value)}>
              <option value="">none</option>
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
              value={params[name] ?? ''}
              onInput={({ currentTarget }) => setParams({ ...params, [name]: currentTarget.value })}
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
        <button type="submit" class="primary" disabled={contact === undefined}>
          Enqueue
        </button>
      </form>
    </Card>
  );
};
