import { useState } from 'preact/hooks';
import { Badge, toneOf } from '../components/badge.tsx';
import { callApi } from '../state/api.ts';
import { showResult, useConsole } from '../state/console-state.ts';
import { Card, Form } from './card.tsx';

/** The approved reasons for a business to write first (contract, "Rules of use" 3). */
export const REASONS = [
  'account-update',
  'appointment',
  'activity',
  'payment',
  'reservation',
  'shipping-status',
  'ticket-change',
  'transport',
  'similar',
] as const;

/** Returns the distinct variable names of a template's text, in order of appearance. */
export const variablesOf = (text: string): readonly string[] => [
  ...new Set(Array.from(text.matchAll(/\$\{([^${}]+)\}/g), ([, name = '']) => name)),
];

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
                <button type="button" onClick={() => void decide(name, true)}>
                  Approve {name}
                </button>
                <button type="button" onClick={() => void decide(name, false)}>
                  Reject {name}
                </button>
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
  const [name, setName] = useState('parcel_update');
  const [text, setText] = useState('Hello ${name}, your parcel arrives *today*.');
  const [category, setCategory] = useState<string>('shipping-status');
  return (
    <Form onSubmit={() => submit(name, { text, category }).then(onSubmitted)}>
      <label class="field">
        Name
        <input required value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
      </label>
      <label class="field">
        Text
        <textarea required rows={2} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      <label class="field">
        Reason
        <select value={category} onChange={({ currentTarget }) => setCategory(currentTarget.value)}>
          {REASONS.map((reason) => (
            <option key={reason}>{reason}</option>
          ))}
        </select>
      </label>
      <button type="submit" class="primary">
        Submit for approval
      </button>
    </Form>
  );
};

const submit = async (name: string, template: { text: string; category: string }): Promise<void> => {
  const result = await callApi('PUT', `/sandbox/templates/${encodeURIComponent(name)}`, template);
  showResult(result, () => `Template ${name} submitted for approval.`);
};

const decide = async (name: string, approve: boolean): Promise<void> => {
  const result = await callApi('POST', `/sandbox/templates/${encodeURIComponent(name)}/decision`, { approve });
  showResult(result, () => `Template ${name} ${approve ? 'approved' : 'rejected'}.`);
};
