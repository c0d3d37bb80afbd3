import { useState } from 'preact/hooks';
import { Card } from '../parts/card.tsx';
import { notice } from '../state/console-state.ts';
import { ask } from '../state/service.ts';

type Fault = { of: 'answers' | 'deliveries' } & Readonly<Record<string, unknown>>;

const LATER = { 'retry-after': '2' };
const refusal = (code: number, message: string): Fault => ({
  of: 'answers',
  status: 403,
  body: { error: { code, message } },
});

const FAULTS: readonly (readonly [name: string, fault: Fault])[] = [
  ['Answer 503, come back in 2 s', { of: 'answers', status: 503, headers: LATER }],
  ['Answer 429, come back in 2 s', { of: 'answers', status: 429, headers: LATER }],
  ['Answer 401, the token is refused', { of: 'answers', status: 401 }],
  ['Answer 500, nobody knows whether it was sent', { of: 'answers', status: 500 }],
  ['Answer 101, no credit', refusal(101, 'Insufficient credit')],
  ['Answer 201, the window is closed', refusal(201, 'User window is over 24 hours')],
  ['Reset before the call is accepted', { of: 'answers', reset: 'before' }],
  ['Reset after the call was accepted', { of: 'answers', reset: 'after' }],
  ['Answer after 5 s', { of: 'answers', delayMs: 5_000 }],
  ['Deliver each event twice', { of: 'deliveries', double: true }],
  ['Hold each event back for 5 s', { of: 'deliveries', holdMs: 5_000 }],
  ['Deliver in reverse order', { of: 'deliveries', reverse: true }],
];

const ENDPOINTS = ['any', 'message/v3', 'intent/v2', 'customer/checkChatContact'] as const;

/** Makes the next answers of the API, or the next deliveries of the carrier, go wrong. */
export const FaultsCard = () => {
  const [chosen, setChosen] = useState(0);
  const [endpoint, setEndpoint] = useState<string>(ENDPOINTS[0]);
  const [count, setCount] = useState(1);
  const [name, { of, ...fault }] = FAULTS[chosen] ?? ['', { of: 'answers' }];
  const inject = async () => {
    const where = of === 'answers' && endpoint !== ENDPOINTS[0] ? { endpoint } : {};
    const asked = await ask('POST', '/sandbox/faults', { [of]: { ...fault, count, ...where } });
    notice(asked.ok ? `From now, ${count === 1 ? 'once' : `${count} times`}: ${name}.` : asked.why, !asked.ok);
  };
  const clear = async () => {
    const asked = await ask('DELETE', '/sandbox/faults');
    notice(asked.ok ? 'Nothing goes wrong any more.' : asked.why, !asked.ok);
  };
  return (
    <Card title="Faults" note="answers and deliveries">
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          void inject();
        }}
      >
        <label class="field">
          Fault
          <select value={chosen} onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}>
            {FAULTS.map(([name], index) => (
              <option key={name} value={index}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <div class="row">
          <label class="field grow">
            Endpoint
            <select
              value={endpoint}
              disabled={of === 'deliveries'}
              onChange={({ currentTarget }) => setEndpoint(currentTarget.value)}
            >
              {ENDPOINTS.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
          <label class="field">
            Times
            <input
              type="number"
              min={1}
              max={1000}
              value={count}
              onInput={({ currentTarget }) => setCount(Number(currentTarget.value))}
            />
          </label>
        </div>
        <div class="row">
          <button type="submit">Inject</button>
          <button type="button" onClick={() => void clear()}>
            Clear all
          </button>
        </div>
      </form>
    </Card>
  );
};
