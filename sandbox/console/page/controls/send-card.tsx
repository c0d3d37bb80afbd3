import { useId, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { NO_USER, showError, showNotice, store, useConsole, useSelectedUser } from '../state/console-state.ts';
import { useConversationWindow } from '../state/conversation-window.ts';
import { contentOf, draft, sinceOf, useDraft } from '../state/draft.ts';
import { enqueueRequest, newRequestId } from '../state/enqueue.ts';
import { selectUnlessMoved } from '../state/navigate.ts';
import { variablesOf } from '../state/templates.ts';
import { AgentFields } from './agent-fields.tsx';
import { Card, Form } from './card.tsx';
import { TEXT_FIELD } from './focus-field.ts';
import { MediaFields } from './media-fields.tsx';
import { problemsOf } from './request-problems.ts';
import { SendPreview } from './send-preview.tsx';
import { TemplateFields } from './template-fields.tsx';

/** Puts a request on the send queue, as an internal system does. */
export const SendCard = () => {
  const contact = useConsole((state) => state.route.user);
  const user = useSelectedUser();
  const rules = useConsole((state) => state.rules);
  const latest = useConsole((state) => state.conversation.messages.findLast(({ direction }) => direction === 'in')?.id);
  const window = useConversationWindow();
  const request = useDraft((state) => state);
  const [hasTried, setTried] = useState(false);
  const id = useId();

  const { text, template, params, reason, media, queue } = request;
  const rule = rules.find(({ name }) => name === template);
  const userName = user?.name ?? '';
  const values = new Map(
    variablesOf(rule?.text ?? '').map((name) => [name, params.get(name) ?? (name === 'name' ? userName : '')]),
  );
  const since = sinceOf(request, contact, latest ?? '');
  const content = contentOf(request, { values, since });
  const found = problemsOf({ text, template, values, mediaUrls: Object.values(media) });
  const problems: typeof found = hasTried ? found : new Map();
  const problem = problems.get(undefined);

  const send = async () => {
    setTried(true);
    if (contact === undefined) return showNotice(NO_USER);
    const [[invalid] = []] = found;
    if (invalid !== undefined) document.getElementById(`${id}-${invalid}`)?.focus();
    if (found.size > 0) return;
    const { route } = store.get();
    const result = await enqueueRequest(contact, content, newRequestId(), queue);
    if (!result.ok) return showError(result.error);
    setTried(false);
    showNotice(`Request ${result.value} added to the ${queue === 'bulk' ? 'bulk queue' : 'send queue'}.`);
    selectUnlessMoved(route, { kind: 'request', id: result.value });
  };

  const chooseTemplate = (name: string) => {
    // The rule of a template that was created just now is not among those of the last rendering.
    const category = store.get().rules.find((one) => one.name === name)?.category ?? '';
    draft.set({ template: name, reason: category });
  };

  return (
    <Card title="Send a request" note="To the queue" open>
      <Form onSubmit={send}>
        <label class="field">
          Free-form text
          <textarea
            id={TEXT_FIELD}
            rows={2}
            value={text}
            onInput={({ currentTarget }) => draft.set({ text: currentTarget.value })}
          />
        </label>
        <TemplateFields
          id={id}
          template={template}
          onTemplate={chooseTemplate}
          reason={reason}
          onReason={(chosen) => draft.set({ reason: chosen })}
          values={values}
          onValue={(name, value) => draft.set({ params: new Map(params).set(name, value) })}
          problems={problems}
        />
        <MediaFields id={id} />
        <AgentFields contact={contact} since={since} latest={latest ?? ''} />
        {user !== undefined && (
          <SendPreview
            contact={user.contact}
            content={found.has(undefined) ? undefined : content}
            text={text}
            rule={rule}
            values={values}
            isWindowOpen={window.state === 'open'}
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
