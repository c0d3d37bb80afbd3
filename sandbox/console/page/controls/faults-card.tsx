import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { counted } from '../components/counted.ts';
import { SelectField } from '../components/fields.tsx';
import { callApi, type FaultList } from '../state/api.ts';
import { showResult, store, useConsole } from '../state/console-state.ts';
import { clearFaults, loadFaults } from '../state/faults.ts';
import { Card, Form } from './card.tsx';
import { describeFaults, FAULTS } from './fault-choices.ts';

const ANY_ENDPOINT = 'Any';
const ENDPOINTS = [ANY_ENDPOINT, 'message/v3', 'intent/v2', 'customer/checkChatContact'];

const MAX_TIMES = 1_000;
/** Only events that are delivered at the same time can be reversed. */
const MAX_REVERSED = 10;

/** Injects faults into the API's next answers or the next webhook deliveries. */
export const FaultsCard = () => {
  const active = describeFaults(useConsole((state) => state.faults));
  const [index, setIndex] = useState(0);
  const [endpoint, setEndpoint] = useState(ANY_ENDPOINT);
  const [count, setCount] = useState(1);
  const [label, { of, ...fault }] = FAULTS[index] ?? ['', { of: 'answers' }];
  const [min, max] = fault.reverse === undefined ? [1, MAX_TIMES] : [2, MAX_REVERSED];

  const choose = (chosen: number) => {
    setIndex(chosen);
    if (FAULTS[chosen]?.[1].reverse === true) setCount(Math.min(MAX_REVERSED, Math.max(2, count)));
  };
  const inject = async () => {
    const where = of === 'answers' && endpoint !== ANY_ENDPOINT ? { endpoint } : {};
    const result = await callApi<FaultList>('POST', '/sandbox/faults', { [of]: { ...fault, count, ...where } });
    if (result.ok) store.set({ faults: result.value });
    showResult(result, () => `Fault injected ${count === 1 ? 'once' : `${count} times`}: ${label}.`);
  };
  return (
    <Card
      title="Fault injection"
      note={active.length === 0 ? 'No faults' : counted(active.length, 'active fault')}
      onOpen={() => void loadFaults()}
    >
      {active.length > 0 && (
        <ul class="active-faults" aria-label="Active faults">
          {active.map((fault, index) => (
            <li key={`${index} ${fault}`}>{fault}</li>
          ))}
        </ul>
      )}
      <Form onSubmit={inject}>
        <SelectField label="Fault" value={index} onChoose={(value) => choose(Number(value))}>
          <optgroup label="API responses">{optionsOf('answers')}</optgroup>
          <optgroup label="Webhook deliveries">{optionsOf('deliveries')}</optgroup>
        </SelectField>
        <div class="row">
          {of === 'answers' && (
            <SelectField grow label="Endpoint" value={endpoint} options={ENDPOINTS} onChoose={setEndpoint} />
          )}
          <label class="field">
            Times
            <input
              type="number"
              required
              min={min}
              max={max}
              value={count}
              onInput={({ currentTarget }) => setCount(Number(currentTarget.value))}
            />
          </label>
        </div>
        <div class="row">
          <button type="submit">Inject</button>
          <Button
            onClick={() => clearFaults()}
            disabledReason={active.length === 0 ? 'There are no faults to clear.' : undefined}
          >
            Clear all
          </Button>
        </div>
      </Form>
    </Card>
  );
};

const optionsOf = (kind: 'answers' | 'deliveries') =>
  FAULTS.map(([label, { of }], index) =>
    of === kind ? (
      <option key={label} value={index}>
        {label}
      </option>
    ) : null,
  );
