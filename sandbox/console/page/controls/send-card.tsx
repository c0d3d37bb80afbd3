import { useId, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { hasOpenWindow, useWindowTime } from '../phone/open-windows.ts';
import { NO_USER, showError, showNotice, store, useConsole, useSelectedUser } from '../state/console-state.ts';
import { enqueueRequest, type RequestContent } from '../state/enqueue.ts';
import { selectUnlessMoved } from '../state/navigate.ts';
import { variablesOf } from '../state/templates.ts';
import { Card, Form } from './card.tsx';
import { mediaWarning, problemsOf } from './request-problems.ts';
import { SendPreview } from './send-preview.tsx';
import { TemplateFields } from './template-fields.tsx';

const NO_MEDIA = { imageURL: '', audioURL: '', fileURL: '' };
const MEDIA_NAMES = { imageURL: 'Image URL', audioURL: 'Audio URL', fileURL: 'File URL' };
const MEDIA = ['imageURL', 'audioURL', 'fileURL'] as const;

/** Puts a request on the send queue, as an internal system does. */
export const SendCard = () => {
  const contact = useConsole((state) => state.route.user);
  const user = useSelectedUser();
  const rules = useConsole((state) => state.rules);
  const now = useWindowTime(user === undefined ? [] : [user]);
  const [text, setText] = useState('Your parcel arrives *today*.');
  const [template, setTemplate] = useState('');
  // A map, because a template's variable may have the name of a property that every object inherits.
  const [params, setParams] = useState<ReadonlyMap<string, string>>(new Map());
  const [reason, setReason] = useState('');
  const [media, setMedia] = useState(NO_MEDIA);
  const [hasTried, setTried] = useState(false);
  const id = useId();

  const rule = rules.find(({ name }) => name === template);
  const userName = user?.name ?? '';
  const values = new Map(
    variablesOf(rule?.text ?? '').map((name) => [name, params.get(name) ?? (name === 'name' ? userName : '')]),
  );
  const found = problemsOf({ text, template, values, mediaUrls: Object.values(media) });
  const problems: typeof found = hasTried ? found : new Map();
  const problem = problems.get(undefined);

  const content: RequestContent = {
    ...(text.trim() !== '' && { messageText: text }),
    ...Object.fromEntries(Object.entries(media).filter(([, url]) => url !== '')),
    ...(template !== '' && {
      ruleNameOrId: template,
      ...(values.size > 0 && { params: Object.fromEntries(values) }),
    }),
    ...(reason !== '' && { reason }),
  };

  const send = async () => {
    setTried(true);
    if (contact === undefined) return showNotice(NO_USER);
    const [[invalid] = []] = found;
    if (invalid !== undefined) document.getElementById(`${id}-${invalid}`)?.focus();
    if (found.size > 0) return;
    const { route } = store.get();
    const result = await enqueueRequest(contact, content);
    if (!result.ok) return showError(result.error);
    setTried(false);
    showNotice(`Request ${result.value} added to the send queue.`);
    selectUnlessMoved(route, { kind: 'request', id: result.value });
  };

  const chooseTemplate = (name: string) => {
    setTemplate(name);
    // The rule of a template that was created just now is not among those of the last rendering.
    setReason(store.get().rules.find((one) => one.name === name)?.category ?? '');
  };

  return (
    <Card title="Send a request" note="To the queue" open>
      <Form onSubmit={send}>
        <label class="field">
          Free-form text
          <textarea rows={2} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
        </label>
        <TemplateFields
          id={id}
          template={template}
          onTemplate={chooseTemplate}
          reason={reason}
          onReason={setReason}
          values={values}
          onValue={(name, value) => setParams(new Map(params).set(name, value))}
          problems={problems}
        />
        <details class="more">
          <summary>Media</summary>
          {MEDIA.map((name) => (
            <label class="field" key={name}>
              {MEDIA_NAMES[name]}
              <input
                type="url"
                placeholder="https://"
                value={media[name]}
                aria-describedby={`${id}-${name}-warning`}
                onInput={({ currentTarget }) => setMedia({ ...media, [name]: currentTarget.value })}
              />
              <span class="field-error" id={`${id}-${name}-warning`}>
                {mediaWarning(media[name])}
              </span>
            </label>
          ))}
        </details>
        {user !== undefined && (
          <SendPreview
            contact={user.contact}
            content={found.has(undefined) ? undefined : content}
            text={text}
            rule={rule}
            values={values}
            isWindowOpen={hasOpenWindow(user, now)}
          />
        )}
        {problem !== undefined && (
          <p class="field-error" role="alert">
            {problem}
          </p>
        )}
        <Button class="primary" disabledReason={contact === undefined ? NO_USER : undefined}>
          Send request
        </Button>
      </Form>
    </Card>
  );
};
