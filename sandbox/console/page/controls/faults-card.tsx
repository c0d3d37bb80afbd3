import { useState } from 'preact/hooks';
import { callApi } from '../state/api.ts';
import { showResult } from '../state/console-state.ts';
import { Card, Form } from './card.tsx';

/** A fault in the API's answers or in webhook deliveries, with its settings. */
type Fault = { of: 'answers' | 'deliveries' } & Readonly<Record<string, unknown>>;

const RETRY_AFTER = { 'retry-after': '2' };
const errorAnswer = (code: number, message: string): Fault => ({
  of: 'answers',
  status: 403,
  body: { error: { code, message } },
});

const FAULTS: readonly (readonly [label: string, fault: Fault])[] = [
  ['Respond with 503, retry after 2 s', { of: 'answers', status: 503, headers: RETRY_AFTER }],
  ['Respond with 429, retry after 2 s', { of: 'answers', status: 429, headers: RETRY_AFTER }],
  ['Respond with 401, token rejected', { of: 'answers', status: 401 }],
  ['Respond with 500, outcome unknown', { of: 'answers', status: 500 }],
  ['Respond with error 101, insufficient credit', errorAnswer(101, 'Insufficient credit')],
  ['Respond with error 201, window closed', errorAnswer(201, 'User window is over 24 hours')],
  ['Reset connection before accepting the call', { of: 'answers', reset: 'before' }],
  ['Reset connection after accepting the call', { of: 'answers', reset: 'after' }],
  ['Delay the response by 5 s', { of: 'answers', delayMs: 5_000 }],
  ['Deliver each event twice', { of: 'deliveries', double: true }],
  ['Delay each event by 5 s', { of: 'deliveries', holdMs: 5_000 }],
  ['Deliver events in reverse order', { of: 'deliveries', reverse: true }],
];

const ANY_ENDPOINT = 'Any';
const ENDPOINTS = [ANY_ENDPOINT, 'message/v3', 'intent/v2', 'customer/checkChatContact'];

/** Injects faults into the API's next answers or the next webhook deliveries. */
export const FaultsCard = () => {
  const [index, setIndex] = useState(0);
  const [endpoint, setEndpoint] = useState(ANY_ENDPOINT);
  const [count, setCount] = useState(1);
  const [label, { of, ...fault }] = FAULTS[index] ?? ['', { of: 'answers' }];
  const inject = async () => {
    const where = of === 'answers' && endpoint !== ANY_ENDPOINT ? { endpoint } : {};
    const result = await callApi('POST', '/sandbox/faults', { [of]: { ...fault, count, ...where } });
    showResult(result, () => `Fault injected ${count === 1 ? 'once' : `${count} times`}: ${label}.`);
  };
  const clear = async () => {
    const result = await callApi('DELETE', '/sandbox/faults');
    showResult(result, () => 'All faults cleared.');
  };
  return (
    <Card title="Fault injection" note="API and webhooks">
      <Form onSubmit={inject}>
        <label class="field">
          Fault
          <select value={index} onChange={({ currentTarget }) => setIndex(Number(currentTarget.value))}>
            {FAULTS.map(([label], index) => (
              <option key={label} value={index}>
                {label}
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
      </Form>
    </Card>
  );
};
