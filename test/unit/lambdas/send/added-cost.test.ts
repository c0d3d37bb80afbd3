import { expect, it } from 'vitest';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import type { SendRules } from '../../../../lambdas/domain/decision.ts';
import { DONE } from '../../../../lambdas/runtime/queue-handler.ts';
import { ACCOUNT, sendRequest, TRACEPARENT, USER } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import { createClientWithHooks } from '../adapters/dynamodb/client-with-hooks.ts';
import { createSendHarness } from './send-harness.ts';

// What handovers and conditions add to a send, in items read with strong consistency (one read unit each, for items of
// up to 4 KB) and in writes. docs/sending.md gives the prices.

const tables = testTables();
const WRITTEN_AT = '2026-11-20T11:00:00.000Z';

/** Counts what an accepted free-form send reads and writes. */
const costOf = async (request: object, rules?: Partial<SendRules>, customerId?: string) => {
  const cost = { reads: 0, writes: 0 };
  const tableClient = createClientWithHooks(tables, {
    request: (name, input) => {
      if (name === 'BatchGetItem' && 'RequestItems' in input) {
        cost.reads += Object.values(input.RequestItems ?? {}).flatMap(({ Keys = [] }) => Keys).length;
      } else if (name === 'GetItem') cost.reads += 1;
      else cost.writes += 1;
    },
  });
  const harness = await createSendHarness({ ...tables, tableClient }, rules && { rules });
  for (const [id, at] of [
    ['earlier', '2026-11-20T10:00:00.000Z'],
    ['latest', WRITTEN_AT],
  ] as const) {
    const contact = contactRef(ACCOUNT.platform, USER);
    const message = { kind: 'message', id, contact, time: { at, source: 'event' }, opensWindow: true } as const;
    const stored = {
      ...message,
      body: '{}',
      address: USER,
      traceparent: TRACEPARENT,
      ...(customerId && { customerId }),
    };
    await harness.messages.recordInbound(stored);
    await harness.contacts.openWindow(stored);
  }
  const sender = harness.startFunction();
  Object.assign(cost, { reads: 0, writes: 0 });
  expect(await sender.send({ ...sendRequest(), ...request })).toEqual(DONE);
  expect(harness.calls).toHaveLength(1);
  return cost;
};
const addedBy = async (request: object, rules?: Partial<SendRules>) => {
  const [plain, cost] = [await costOf({}), await costOf(request, rules)];
  return { reads: cost.reads - plain.reads, writes: cost.writes - plain.writes };
};
const OPERATORS = { operators: { echoes: true } };
const NOTHING = { reads: 0, writes: 0 };

it.each<[string, object, Partial<SendRules> | undefined, typeof NOTHING]>([
  ['an automated send costs nothing more without operators', { automated: true }, undefined, NOTHING],
  ['a send costs one more read with operators', {}, OPERATORS, { reads: 1, writes: 0 }],
  ['an automated send costs four more reads with operators', { automated: true }, OPERATORS, { reads: 4, writes: 0 }],
  [
    'a condition costs two more reads if since is the latest message',
    { unless: ['userWroteSince'], since: 'latest' },
    undefined,
    { reads: 2, writes: 0 },
  ],
  [
    'a condition costs two more reads if since is a time',
    { unless: ['userWroteSince'], since: WRITTEN_AT },
    undefined,
    { reads: 2, writes: 0 },
  ],
])('%s', async (_case, request, rules, added) => {
  expect(await addedBy(request, rules)).toEqual(added);
});

it('a send to a customer costs five more reads than one to the only address of the customer', async () => {
  const byAddress = await costOf({}, undefined, 'customer-1');
  const byCustomer = await costOf({ platformContactId: undefined, customerId: 'customer-1' }, undefined, 'customer-1');

  expect(byCustomer).toEqual({ reads: byAddress.reads + 5, writes: byAddress.writes });
});
