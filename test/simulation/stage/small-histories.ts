import { NOW, sendRequest, templateRequest, USER } from '../../support/builders.ts';
import { FAULTS } from '../world/faults.ts';
import { PLAIN_FEATURES } from './draw-features.ts';
import type { Act, Features, History } from './history.ts';
import type { LedgerEntry, LedgerKind } from './ledger.ts';
import type { StageRun } from './stage-run.ts';

export const START_MS = Date.parse(NOW);

/** A stage without faults, whose delivery is prompt and orderly. */
export const features = (changes: Partial<Features> = {}): Features => ({
  ...PLAIN_FEATURES,
  rules: { clientPayload: 'all' },
  content: true,
  batchSize: { send: 10, inbound: 10, stream: 100 },
  sendConcurrency: 2,
  maxAnswerMs: 500,
  ...changes,
});

export type ActLater = Act extends infer Each
  ? Each extends Act
    ? Omit<Each, 'atMs'> & { afterMs: number }
    : never
  : never;

export const history = (acts: readonly ActLater[], changes: Partial<History> = {}): History => ({
  seed: 1,
  features: features(),
  // The type system cannot see that an act without its time, plus a time, is an act.
  acts: acts.map(({ afterMs, ...act }) => ({ ...act, atMs: START_MS + afterMs }) as Act),
  ...changes,
});

export const request = (
  body: object,
  { requestId = 'request-1', afterMs = 0, via = 'queue' as 'queue' | 'api' } = {},
) => ({
  kind: 'request' as const,
  afterMs,
  via,
  body: JSON.stringify({ ...body, requestId }),
  groupId: USER,
  deduplicationId: requestId,
});

export const writes = (afterMs = 0) => ({ kind: 'user-writes' as const, contact: USER, text: 'Where is it?', afterMs });

export const entriesOf = <Kind extends LedgerKind>({ ledger }: StageRun, kind: Kind) =>
  ledger.entries.filter((entry): entry is Extract<LedgerEntry, { kind: Kind }> => entry.kind === kind);

export const MAIN_JOB = history([
  writes(),
  request(sendRequest({ messageText: 'request-1: It is on its way.' }), { afterMs: 5_000 }),
  { kind: 'user-reads', contact: USER, afterMs: 120_000 },
]);

export const sendOf = ({ items }: StageRun, requestId = 'request-1') => items.get(`SEND#${requestId} SEND`);

export const statesOf = (run: StageRun, requestId = 'request-1'): readonly unknown[] =>
  entriesOf(run, 'write').flatMap(({ key, after }) => (key === `SEND#${requestId} SEND` ? [after?.state] : []));

export const answersOf = (run: StageRun) => entriesOf(run, 'api-answer').map(({ act, status }) => [act.kind, status]);

export const eventsOn = (run: StageRun) => entriesOf(run, 'published').map(({ detailType }) => detailType);

export const freeForm = sendRequest({ messageText: 'request-1: It is on its way.' });
export const template = templateRequest({ params: { name: 'request-1' } });
export const consent = (changes: Partial<Extract<ActLater, { kind: 'consent' }>> = {}) => ({
  kind: 'consent' as const,
  contact: USER,
  consent: 'opt-in' as const,
  origin: 'user' as const,
  agoMs: 0,
  afterMs: 0,
  ...changes,
});

/** Few calls of the bus have several events, so that only some of them can be accepted. */
export const RATES = { ...Object.fromEntries(FAULTS.map((fault) => [fault, 0.06])), partial: 0.5 };

/** Twenty requests to five users who write. */
export const busy = (seed: number, changes: Partial<Features> = {}): History => {
  const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
  const acts = numbers.flatMap((number): ActLater[] => {
    const contact = `+549115555000${number % 5}`;
    const body = { ...sendRequest({ messageText: `request-${number}: Hello.` }), platformContactId: contact };
    return [
      { kind: 'user-writes', contact, text: 'Hello', afterMs: number * 1_000 },
      {
        ...request(
          { ...body, onUncertain: 'resend' },
          { requestId: `request-${number}`, afterMs: number * 1_000 + 500 },
        ),
        groupId: contact,
      },
    ];
  });
  return history(
    [
      ...acts,
      consent({ afterMs: 30_000 }),
      { kind: 'unknown-event', body: 'ping', afterMs: 31_000 },
      { kind: 'erase', contact: '+5491155550001', afterMs: 40_000 },
    ],
    {
      seed,
      features: features({
        delivery: { duplicateRate: 0.2, lateRate: 0.2, maxLateMs: 600_000, lostAnswerRate: 0.1, withoutTimeRate: 0.1 },
        ...changes,
      }),
    },
  );
};

export const faultsIn = (run: StageRun) => entriesOf(run, 'fault').map(({ id }) => id);
