import { Button } from '../components/button.tsx';
import { SelectField, TextField } from '../components/fields.tsx';
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
        <SelectField grow label="Template" id={TEMPLATE_FIELD} value={template} onChoose={onTemplate}>
          <option value="">None</option>
          {rules.map(({ name, status }) => (
            <option key={name} value={name}>
              {status === 'approved' ? name : `${name} (${status})`}
            </option>
          ))}
        </SelectField>
        <SelectField grow label="Reason" value={reason} options={REASONS} onChoose={onReason}>
          <option value="">None</option>
        </SelectField>
      </div>
      {rules.length === 0 && <CreateSample onCreated={onTemplate} />}
      {Array.from(values, ([name, value]) => (
        <TextField
          key={name}
          label={`\${${name}}`}
          id={`${id}-${name}`}
          aria-required
          aria-invalid={problems.has(name)}
          aria-describedby={`${id}-${name}-problem`}
          value={value}
          onText={(text) => onValue(name, text)}
        >
          <span class="field-error" id={`${id}-${name}-problem`}>
            {problems.get(name)}
          </span>
        </TextField>
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
