import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { SelectField, TextField } from '../components/fields.tsx';
import { Form } from '../controls/card.tsx';
import { FormattedText } from '../phone/message-bubble.tsx';
import { showError, showNotice, store, useConsole } from '../state/console-state.ts';
import { enqueueTemplate } from '../state/enqueue-template.ts';
import { selectUnlessMoved } from '../state/navigate.ts';
import { createSampleTemplate, fillTemplate, variablesOf } from '../state/templates.ts';

interface Props {
  readonly contact: string;
  /** The request that was refused. */
  readonly requestId: string;
  /** The variables of the refused request. */
  readonly params?: Readonly<Record<string, string>>;
  /** The template to offer first. @default any */
  readonly ruleName?: string | undefined;
}

/** Sends an approved template instead of a request that was refused. */
export const SendAsTemplate = ({ contact, requestId, params = {}, ruleName }: Props) => {
  const rules = useConsole((state) => state.rules);
  const user = useConsole((state) => state.users.byContact.get(contact));
  // A rule without a category cannot open a conversation.
  const approved = rules.filter(({ status, category }) => status === 'approved' && category !== undefined);
  const [chosen, setChosen] = useState(ruleName);
  const [entered, setEntered] = useState<ReadonlyMap<string, string>>(new Map());
  const rule = approved.find(({ name }) => name === chosen) ?? approved[0];
  if (rule === undefined) return <CreateTemplate onCreated={setChosen} />;

  const text = rule.text ?? '';
  const variables = variablesOf(text);
  const initial = new Map([...(user?.name ? [['name', user.name] as const] : []), ...Object.entries(params)]);
  const values = new Map(variables.map((name) => [name, entered.get(name) ?? initial.get(name) ?? '']));

  const send = async () => {
    const empty = variables.find((name) => values.get(name)?.trim() === '');
    if (empty !== undefined) return showError(`Enter a value for \${${empty}}. The chat service rejects empty values.`);
    const { name, category = '' } = rule;
    const { route } = store.get();
    const enqueued = await enqueueTemplate({ contact, requestId, ruleName: name, params: values, reason: category });
    if (!enqueued.ok) return showError(enqueued.error);
    showNotice(`Request ${enqueued.value} added to the send queue.`);
    selectUnlessMoved(route, { kind: 'request', id: enqueued.value });
  };

  return (
    <Form onSubmit={send}>
      <SelectField label="Template" value={rule.name} options={approved.map(({ name }) => name)} onChoose={setChosen} />
      {variables.map((name) => (
        <TextField
          key={name}
          label={`\${${name}}`}
          required
          value={values.get(name)}
          onText={(value) => setEntered(new Map(entered).set(name, value))}
        />
      ))}
      {text !== '' && (
        <p class="template-preview">
          <FormattedText text={fillTemplate(text, values)} />
        </p>
      )}
      <div class="row wrap">
        <Button class="primary">Send as template</Button>
        <p class="hint">Reason: {rule.category}</p>
      </div>
    </Form>
  );
};

const CreateTemplate = ({ onCreated }: { onCreated: (name: string | undefined) => void }) => {
  const create = async () => {
    onCreated(await createSampleTemplate());
    // The button is gone, and the focus with it. The form is rendered in the next frame.
    requestAnimationFrame(() => requestAnimationFrame(focusForm));
  };
  return (
    <div class="row wrap">
      <p class="hint">No approved template can open a conversation yet.</p>
      <Button class="primary" onClick={create}>
        Create a sample template
      </Button>
    </div>
  );
};

const focusForm = (): void => {
  if (document.activeElement !== document.body) return;
  document.querySelector<HTMLElement>('.next-action :is(input, select)')?.focus();
};
