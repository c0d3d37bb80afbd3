import { parseJson } from '../../../lambdas/domain/schema.ts';
import type { FaultProxyOptions } from './fault-proxy.ts';

// Parts that are broken on purpose. Each reports success, so that only the checks of the ledgers can find the fault.

type Tamper = NonNullable<FaultProxyOptions['tamper']>;

/** Answers every n-th call that `isAffected` selects with `answer`, and passes all others on. */
const everyNth = (n: number, isAffected: (path: string, body: string) => boolean, answer: Tamper): Tamper => {
  let count = 0;
  return async (call, passOn) => {
    if (!isAffected(call.path, call.body.toString())) return passOn(call);
    count += 1;
    return count % n === 0 ? answer(call, passOn) : passOn(call);
  };
};

const json = (body: object) => ({
  status: 200,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: JSON.stringify(body),
});

/** Delivers some requests to the chat service twice. */
export const sendTwice = everyNth(
  3,
  (path) => path.endsWith('/message/v3') || path.endsWith('/intent/v2'),
  async (call, passOn) => {
    await passOn(call);
    return passOn(call);
  },
);

/** Confirms some writes of user messages without passing them on. */
export const swallowMessages = everyNth(
  5,
  (_path, body) => body.includes('UpdateExpression') && body.includes('{"S":"inbound"}'),
  async () => json({}),
);

/** Confirms some events without passing them on. */
export const swallowEvents = everyNth(
  5,
  () => true,
  async ({ body }) => {
    const { Entries = [] } = Object(parseJson(body.toString()));
    return json({ FailedEntryCount: 0, Entries: Array.from(Entries, () => ({ EventId: 'swallowed' })) });
  },
);
