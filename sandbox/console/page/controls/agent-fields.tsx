import { SelectField, TextField } from '../components/fields.tsx';
import { useConsole } from '../state/console-state.ts';
import { type Condition, type Draft, draft, useDraft } from '../state/draft.ts';
import type { SendQueue } from '../state/enqueue.ts';

interface Props {
  readonly contact: string | undefined;
  /** What the conditions count from. */
  readonly since: string;
  /** The ID of the user's latest message; empty without one. */
  readonly latest: string;
}

/** The fields with which bots and agents avoid talking at the wrong time. Those that the stage turns off are hidden. */
export const AgentFields = ({ contact, since, latest }: Props) => {
  const features = useConsole((state) => state.features);
  const { automated, unless, notAfter, queue, isAgentOpen } = useDraft((state) => state);
  const setSince = (value: string) => draft.set({ since: { contact, value } });
  const toggle = (condition: Condition, isOn: boolean) => {
    // The message that is answered stays the same when the user writes again.
    if (unless.length === 0) setSince(latest);
    draft.set({ unless: CONDITIONS.filter((one) => (one === condition ? isOn : unless.includes(one))) });
  };
  return (
    <details
      class="more"
      open={isAgentOpen}
      onToggle={({ currentTarget: { open } }) => open !== isAgentOpen && draft.set({ isAgentOpen: open })}
    >
      <summary>For bots and agents</summary>
      {features?.handovers && (
        <Checkbox
          label="Automated (a bot): refused while people answer"
          isOn={automated}
          onChange={(isOn) => draft.set({ automated: isOn })}
        />
      )}
      <fieldset class="conditions">
        <legend>Refuse the request if, since the message that it answers:</legend>
        {CONDITIONS.filter((one) => one !== 'operatorWroteSince' || features?.operatorField !== undefined).map(
          (one) => (
            <Checkbox
              key={one}
              label={CONDITION_LABELS[one]}
              isOn={unless.includes(one)}
              onChange={(isOn) => toggle(one, isOn)}
            />
          ),
        )}
        {unless.length > 0 && (
          <div class="row">
            <TextField grow label="Since (message ID or time)" value={since} onText={setSince} />
            <button type="button" onClick={() => setSince(latest)}>
              Latest message
            </button>
          </div>
        )}
      </fieldset>
      <div class="row">
        <TextField
          grow
          label="Not after (duration)"
          value={notAfter}
          placeholder="PT10M"
          onText={(text) => draft.set({ notAfter: text })}
        />
        {features?.bulkLane && (
          <SelectField grow label="Queue" value={queue} onChoose={(value) => draft.set({ queue: queueOf(value) })}>
            <option value="send">Ordinary</option>
            <option value="bulk">Bulk</option>
          </SelectField>
        )}
      </div>
    </details>
  );
};

const CONDITIONS = ['userWroteSince', 'operatorWroteSince'] as const satisfies Draft['unless'];

const CONDITION_LABELS: Readonly<Record<Condition, string>> = {
  userWroteSince: 'the user has written again',
  operatorWroteSince: 'an operator has written',
};

const queueOf = (value: string): SendQueue => (value === 'bulk' ? 'bulk' : 'send');

const Checkbox = (props: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }) => (
  <label class="checkbox">
    <input
      type="checkbox"
      checked={props.isOn}
      onChange={({ currentTarget }) => props.onChange(currentTarget.checked)}
    />
    {props.label}
  </label>
);
