import { Card } from '../parts/card.tsx';
import { notice } from '../state/console-state.ts';
import { ask } from '../state/service.ts';

const HOUR = 3600;
const STEPS: readonly (readonly [name: string, seconds: number])[] = [
  ['1 min', 60],
  ['1 h', HOUR],
  ['23 h', 23 * HOUR],
  ['25 h', 25 * HOUR],
  ['7 days', 7 * 24 * HOUR],
];

/** Moves the service's time ahead; the local stack's with it. */
export const ClockCard = () => (
  <Card title="Clock" note="moves ahead only" open>
    <div class="row wrap">
      {STEPS.map(([name, seconds]) => (
        <button type="button" class="advance" key={name} onClick={() => void advance(name, seconds)}>
          + {name}
        </button>
      ))}
    </div>
  </Card>
);

const advance = async (name: string, advanceSeconds: number): Promise<void> => {
  const asked = await ask<{ now: string }>('POST', '/sandbox/clock', { advanceSeconds });
  notice(asked.ok ? `The clock went ahead by ${name}.` : asked.why, !asked.ok);
};
