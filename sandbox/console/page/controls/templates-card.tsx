import { useState } from 'preact/hooks';
import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { SelectField, TextField } from '../components/fields.tsx';
import { toneOf } from '../components/tone.ts';
import { useConsole } from '../state/console-state.ts';
import { decideTemplate, REASONS, SAMPLE_TEMPLATE, submitTemplate } from '../state/templates.ts';
import { Card, Form } from './card.tsx';

/** Lists templates and rules, submits templates, and approves or rejects them as the service operator. */
export const TemplatesCard = () => {
  const rules = useConsole((state) => state.rules);
  const templates = useConsole((state) => state.templates);
  const [isAdding, setAdding] = useState(false);
  // An approved template becomes a rule of its name (contract, "Activate a rule or send a template").
  const otherRules = rules.filter(({ name }) => templates.every((template) => template.name !== name));
  return (
    <Card title="Templates" note={templates.length + otherRules.length}>
      <ul class="templates">
        {[...templates, ...otherRules].map(({ name, text, status, ...rest }) => (
          <li key={name}>
            <div class="row">
              <strong>{name}</strong>
              <Badge tone={toneOf(status)}>{status}</Badge>
            </div>
            {text && <p>{text}</p>}
            {'why' in rest && rest.why && <p>{rest.why}</p>}
            {status === 'pending' && (
              <div class="row">
                <Button onClick={() => decideTemplate(name, true)}>Approve {name}</Button>
                <Button onClick={() => decideTemplate(name, false)}>Reject {name}</Button>
              </div>
            )}
          </li>
        ))}
      </ul>
      {isAdding ? (
        <NewTemplate onSubmitted={() => setAdding(false)} />
      ) : (
        <button type="button" onClick={() => setAdding(true)}>
          New template
        </button>
      )}
    </Card>
  );
};

const NewTemplate = ({ onSubmitted }: { onSubmitted: () => void }) => {
  const [name, setName] = useState<string>(SAMPLE_TEMPLATE.name);
  const [text, setText] = useState<string>(SAMPLE_TEMPLATE.content.text);
  const [category, setCategory] = useState<string>(SAMPLE_TEMPLATE.content.category);
  return (
    <Form onSubmit={() => submitTemplate(name, { text, category }).then((isSubmitted) => isSubmitted && onSubmitted())}>
      <TextField label="Name" required value={name} onText={setName} />
      <label class="field">
        Text
        <textarea required rows={2} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      <SelectField label="Reason" value={category} options={REASONS} onChoose={setCategory} />
      <button type="submit" class="primary">
        Submit for approval
      </button>
    </Form>
  );
};
