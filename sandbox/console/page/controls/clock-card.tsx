import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { useServiceTime } from '../components/time.ts';
import { callApi } from '../state/api.ts';
import { showResult } from '../state/console-state.ts';
import { useConversationWindow } from '../state/conversation-window.ts';
import { Card, Form } from './card.tsx';

const HOUR = 3600;
const STEPS: readonly (readonly [label: string, seconds: number])[] = [
  ['1 min', 60],
  ['1 h', HOUR],
  ['23 h', 23 * HOUR],
  ['25 h', 25 * HOUR],
  ['7 days', 7 * 24 * HOUR],
];

const UNITS: readonly (readonly [label: string, seconds: number])[] = [
  ['minutes', 60],
  ['hours', HOUR],
  ['days', 24 * HOUR],
];

/** Advances the service's clock, and the local stack's with it. */
export const ClockCard = () => (
  <Card title="Clock" note="Forward only" open>
    <div class="row wrap">
      {STEPS.map(([label, seconds]) => (
        <Button class="advance" key={label} onClick={() => advance(`by ${label}`, seconds)}>
          + {label}
        </Button>
      ))}
      <ToEndOfWindow />
    </div>
    <OtherAmount />
  </Card>
);

const OtherAmount = () => {
  const [amount, setAmount] = useState('');
  const [unit, setUnit] = useState('hours');
  const seconds = Number(amount) * (UNITS.find(([name]) => name === unit)?.[1] ?? HOUR);
  return (
    <Form onSubmit={() => advance(`by ${amount} ${unit}`, seconds)}>
      <div class="row">
        <input
          type="number"
          class="grow"
          min={0}
          step="any"
          aria-label="Amount of time"
          placeholder="1"
          value={amount}
          onInput={({ currentTarget }) => setAmount(currentTarget.value)}
        />
        <select
          class="grow"
          aria-label="Unit of time"
          value={unit}
          onChange={({ currentTarget }) => setUnit(currentTarget.value)}
        >
          {UNITS.map(([name]) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <Button disabledReason={seconds > 0 ? undefined : 'Enter an amount of time first.'}>Advance</Button>
      </div>
    </Form>
  );
};

const ToEndOfWindow = () => {
  const window = useConversationWindow();
  const now = useServiceTime();
  const remainingMs = window.state === 'open' ? window.closesAt - now : 0;
  return (
    <Button
      class="advance"
      disabledReason={remainingMs > 0 ? undefined : "The selected user's conversation window is not open."}
      // One more second, because the window is still open at the time before its end.
      onClick={() => advance('past the end of the conversation window', Math.ceil(remainingMs / 1000) + 1)}
    >
      Advance past the window
    </Button>
  );
};

const advance = async (how: string, advanceSeconds: number): Promise<void> => {
  const result = await callApi('POST', '/sandbox/clock', { advanceSeconds });
  showResult(result, () => `Clock advanced ${how}.`);
};
