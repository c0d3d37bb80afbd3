import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_UNKNOWN_OUTCOMES, type SendRecord } from '../../../../../lambdas/domain/send.ts';
import type { SendCall } from '../../../../../lambdas/domain/send-call.ts';
import { isInBroadcast, isListed } from '../../../../../lambdas/domain/send-index.ts';
import type { SendRepository } from '../../../../../lambdas/ports.ts';
import { broadcastSort, stateSort, timeOfState } from '../../../../../lambdas/table/indexes.ts';
import { claim, NOW, queuedSend, sendRequest, sendResult } from '../../../../support/builders.ts';
import { contractTables } from '../../../../support/contract-tables.ts';
import { repositoriesOf } from './repositories.ts';

const tables = contractTables();

const SEND = queuedSend(sendRequest());
const TEMPLATE: SendCall = { endpoint: 'intent/v2', body: { ruleNameOrId: 'hello' } };
const at = (second: number) => `2026-11-20T12:00:0${second}.000Z`;

/** One write by any of the functions. Several functions and deliveries run at once, so any order is possible. */
type Step =
  | { readonly kind: 'claim'; readonly by: string; readonly resend: boolean }
  | { readonly kind: 'replaceCall'; readonly by: string }
  | { readonly kind: 'result'; readonly by: string; readonly state: keyof typeof RESULTS }
  | { readonly kind: 'wait' | 'expire'; readonly why: string }
  | { readonly kind: 'status'; readonly second: number }
  | { readonly kind: 'failure' | 'resend' };

const RESULTS = {
  accepted: sendResult('accepted', at(1)),
  unnamed: { state: 'accepted', at: at(1), outcome: 'Accepted without an id.' },
  waiting: sendResult('waiting', at(1)),
  rejected: sendResult('rejected', at(1)),
  uncertain: sendResult('uncertain', at(1)),
  answered: { state: 'uncertain', at: at(1), outcome: 'HTTP 200', isAnswered: true },
} as const;

const claimId = fc.constantFrom('claim-1', 'claim-2', 'claim-3');
const resultStates = ['accepted', 'unnamed', 'waiting', 'rejected', 'uncertain', 'answered'] as const;
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('claim' as const), by: claimId, resend: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('replaceCall' as const), by: claimId }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('result' as const),
      by: claimId,
      state: fc.constantFrom(...resultStates),
    }),
  },
  fc.record({ kind: fc.constantFrom('wait' as const, 'expire' as const), why: fc.constantFrom('One.', 'Other.') }),
  fc.record({ kind: fc.constant('status' as const), second: fc.integer({ min: 2, max: 4 }) }),
  fc.record({ kind: fc.constantFrom('failure' as const, 'resend' as const) }),
);

/** Each claim has a unique id, so a history claims with each id at most once. */
const history = fc.uniqueArray(step, {
  maxLength: 12,
  selector: (each) => (each.kind === 'claim' ? each.by : each),
});

/** Returns whether the function that owns a claim may act on the write. */
const take = async (sends: SendRepository, each: Step, resolved: SendRecord | undefined): Promise<string> => {
  switch (each.kind) {
    case 'claim':
      return (await sends.claim(SEND, claim({ claimId: each.by }), { resend: each.resend })).kind;
    case 'replaceCall':
      return (await sends.replaceCall('request-1', each.by, { call: TEMPLATE, decision: 'Error 201.' })).kind;
    case 'result':
      return (await sends.recordResult('request-1', each.by, RESULTS[each.state])).kind;
    case 'wait':
      return (await sends.recordWithoutCall(SEND, { state: 'waiting', at: at(1), decision: each.why })).kind;
    case 'expire':
      return (await sends.recordWithoutCall(SEND, { state: 'expired', at: at(1), decision: each.why })).kind;
    case 'status':
      await sends.confirm('request-1', { messageId: `message-${each.second}`, at: at(each.second) });
      return 'stored';
    case 'failure':
      return sends.recordFailure({ requestId: 'request-1' }, NOW);
    case 'resend':
      return resolved === undefined
        ? 'unknown'
        : (await sends.resolve(resolved, { outcome: 'resend', at: at(1), why: 'Resend.' })).kind;
  }
};

describe('any history of writes to a send', () => {
  it('keeps the invariants: every write may be repeated, calls never overlap, and an acceptance stays', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const { sends, table } = repositoriesOf(tables.tableOf(await tables.createTable()));
        const read = () => table.get({ pk: 'SEND#request-1', sk: 'SEND' });
        const claimed = new Set<string>();
        let inFlight: string | undefined;
        let accepted = false;
        for (const each of steps) {
          const before = await sends.read('request-1');
          const result = await take(sends, each, before);
          const item = await read();
          // A repeated write, as after a lost response, changes nothing.
          await take(sends, each, before);
          expect(await read()).toEqual(item);

          const after = await sends.read('request-1');
          if (each.kind === 'claim' && result === 'claimed') {
            expect(inFlight).toBeUndefined();
            expect(before?.isAnswered).toBeUndefined();
            // Only an operator resends a request after that many.
            if (before?.state === 'uncertain') expect(after?.unknownOutcomes).toBeLessThan(MAX_UNKNOWN_OUTCOMES);
            claimed.add(each.by);
          }
          inFlight = after?.state === 'claimed' ? after.claimId : undefined;
          if (accepted) expect(after?.state).toBe('accepted');
          accepted = after?.state === 'accepted';

          expect(after?.attempts ?? 0).toBe(claimed.size);
          // While the latest outcome is unknown, or not there yet, it is not counted.
          const isOpen = after?.state === 'uncertain' || after?.state === 'claimed';
          expect(after?.unknownOutcomes ?? 0).toBeLessThanOrEqual(claimed.size - (isOpen ? 1 : 0));
          if (each.kind === 'replaceCall') {
            expect(result === 'applied').toBe(before?.state === 'claimed' && before.claimId === each.by);
          }
          // Only what operators look for is in the index by state.
          expect(item?.stateShard !== undefined).toBe(after !== undefined && isListed(after.state));
          if (after !== undefined) {
            const entry = { at: String(after[timeOfState(after.state)]), code: after.code };
            expect(item?.stateAt).toBe(isListed(after.state) ? stateSort(entry) : undefined);
            expect(item?.broadcastState).toBe(
              isInBroadcast(after.state) ? broadcastSort(after.state, entry) : undefined,
            );
          }
        }
      }),
      { numRuns: 60 },
    );
  }, 180_000);
});
