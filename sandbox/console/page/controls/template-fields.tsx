import { Button } from '../components/button.tsx';
import { useConsole } from '../state/console-state.ts';
import { createSampleTemplate, REASONS } from '../state/templates.ts';
import { TEMPLATE_FIELD } from './focus-field.ts';

interface Props {
  /** The prefix of the fields' ids. */
  readonly id: string;
  readonly template: string;
  readonly onTemplate: (name: string) => void;
  readonly reason: string;
  readonly onReason: (reason: string) => void;
  /** Of the template's variables, by name. */
  readonly values: ReadonlyMap<string, string>;
  readonly onValue: (name: string, value: string) => void;
  readonly problems: ReadonlyMap<string | undefined, string>;
}

/** The template of a request, its variables, and the reason to write first. */
export const TemplateFields = ({ id, template, onTemplate, reason, onReason, values, onValue, problems }: Props) => {
  const rules = useConsole((state) => state.rules);
  return (
    <>
      <div class="row">
        <label class="field grow">
          Template
          <select
            id={TEMPLATE_FIELD}
            value={template}
            onChange={({ currentTarget }) => onTemplate(currentTarget.value)}
          >
            <option value="">None</option>
            {rules.map(({ name, status }) => (
              <option key={name} value={name}>
                {status === 'approved' ? name : `${name} (${status})`}
              </option>
            ))}
          </select>
        </label>
        <label class="field grow">
          Reason
          <select value={reason} onChange={({ currentTarget }) => onReason(currentTarget.value)}>
            <option value="">None</option>
            {REASONS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      </div>
      {rules.length === 0 && <CreateSample onCreated={onTemplate} />}
      {Array.from(values, ([name, value]) => (
        <label class="field" key={name}>
          {`\${${name}}`}
          <input
            id={`${id}-${name}`}
            aria-required
            aria-invalid={problems.has(name)}
            aria-describedby={`${id}-${name}-problem`}
            value={value}
            onInput={({ currentTarget }) => onValue(name, currentTarget.value)}
          />
          <span class="field-error" id={`${id}-${name}-problem`}>
            {problems.get(name)}
          </span>
        </label>
      ))}
    </>
  );
};

/** A button that creates an approved template to choose. */
const CreateSample = ({ onCreated }: { onCreated: (name: string) => void }) => {
  const create = async () => {
    const name = await createSampleTemplate();
    if (name !== undefined) onCreated(name);
  };
  return <Button onClick={create}>Create a sample template</Button>;
};
