import { useState } from 'preact/hooks';
import { Badge, toneOf } from '../parts/badge.tsx';
import { Card } from '../parts/card.tsx';
import { notice, store } from '../state/console-state.ts';
import { ask } from '../state/service.ts';
import { useStore } from '../state/store.ts';
import { REASONS } from './reasons.ts';

/** Templates and rules, and the operator who approves or rejects them. */
export const TemplatesCard = () => {
  const rules = useStore(store, (state) => state.rules);
  const templates = useStore(store, (state) => state.templates);
  const [isAdding, setAdding] = useState(false);
  // An approved template becomes a rule of its name (contract, "Activate a rule or send a template").
  const others = rules.filter(({ name }) => templates.every((template) => template.name !== name));
  return (
    <Card title="Templates" note={templates.length + others.length}>
      <ul class="templates">
        {[...templates, ...others].map(({ name, text, status, ...rest }) => (
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
        <NewTemplate onDone={() => setAdding(false)} />
      ) : (
        <button type="button" onClick={() => setAdding(true)}>
          New template
        </button>
      )}
    </Card>
  );
};

const NewTemplate = ({ onDone }: { onDone: () => void }) => {
  const [name, setName] = useState('parcel_update');
  const [text, setText] = useState('Hello ${name}, your parcel arrives *today*.');
  const [category, setCategory] = useState<string>('shipping-status');
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(name, { text, category }).then(onDone);
      }}
    >
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
    </form>
  );
};

const submit = async (name: string, template: { text: string; category: string }): Promise<void> => {
  const asked = await ask('PUT', `/sandbox/templates/${encodeURIComponent(name)}`, template);
  notice(asked.ok ? `The template ${name} waits for its approval.` : asked.why, !asked.ok);
};

const decide = async (name: string, approve: boolean): Promise<void> => {
  const asked = await ask('POST', `/sandbox/templates/${encodeURIComponent(name)}/decision`, { approve });
  notice(asked.ok ? `The template ${name} is ${approve ? 'approved' : 'rejected'}.` : asked.why, !asked.ok);
};
