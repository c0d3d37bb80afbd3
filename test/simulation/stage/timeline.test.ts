import { describe, expect, it } from 'vitest';
import { NOW } from '../../support/builders.ts';
import { describeWrite } from './describe-write.ts';
import { humanTime } from './human-time.ts';
import type { LedgerEntry } from './ledger.ts';
import { renderTimeline } from './timeline.ts';

const START_MS = Date.parse(NOW);
const CONTACT = '+5491155550000';
const KEY = 'SEND#request-7 SEND';

const at = (ms: number): string => new Date(START_MS + ms).toISOString();
const body = JSON.stringify({ requestId: 'request-7', platformContactId: CONTACT, messageText: 'request-7: Hello' });
const send = (state: string, changes: Record<string, unknown> = {}) => ({
  pk: 'SEND#request-7',
  sk: 'SEND',
  state,
  body,
  contact: 'CONTACT#chat#*#541155550000',
  ...changes,
});

type Event = LedgerEntry extends infer Each ? (Each extends LedgerEntry ? Omit<Each, 'atMs'> : never) : never;

const entry = (ms: number, event: Event): LedgerEntry => ({ atMs: START_MS + ms, ...event });

const claimed = send('claimed', { attempts: 1, claimId: 'claim-1', claimedAt: at(1_240), leaseUntil: at(181_240) });

/** A process dies after its call, and a second one repeats the call. */
const RUN: readonly LedgerEntry[] = [
  entry(0, { kind: 'act', act: { atMs: START_MS, kind: 'user-writes', contact: CONTACT, text: 'Hi' } }),
  entry(2, {
    kind: 'event',
    eventId: 'event-1',
    body: JSON.stringify({ _id_: 'm-1', FROM: '5491155550000' }),
    isUnauthenticated: false,
  }),
  entry(20, { kind: 'delivery', eventId: 'event-1', attempt: 1 }),
  entry(20, { kind: 'invoked', process: 'receive-1', function: 'receive', messages: 1 }),
  entry(31, {
    kind: 'write',
    process: 'receive-1',
    key: 'CONTACT#chat#*#541155550000 CONTACT',
    before: undefined,
    after: { pk: 'CONTACT#chat#*#541155550000', sk: 'CONTACT', lastInboundAt: at(0), name: 'Ana María' },
  }),
  entry(32, { kind: 'ended', process: 'receive-1', function: 'receive', how: 'answered' }),
  entry(33, { kind: 'delivery-answer', eventId: 'event-1', status: 200, isHeard: false }),
  entry(1_200, {
    kind: 'act',
    act: {
      atMs: START_MS + 1_200,
      kind: 'request',
      via: 'queue',
      body,
      groupId: 'producer-2',
      deduplicationId: 'request-7',
    },
  }),
  entry(1_200, { kind: 'queued', queue: 'send', body }),
  entry(1_210, { kind: 'invoked', process: 'send-1', function: 'send', messages: 1 }),
  entry(1_220, { kind: 'read-contact', process: 'send-1', name: 'CONTACT#chat#*#541155550000', contact: undefined }),
  entry(1_240, { kind: 'write', process: 'send-1', key: KEY, before: undefined, after: claimed }),
  entry(1_250, {
    kind: 'call',
    process: 'send-1',
    requestId: 'request-7',
    claimId: 'claim-1',
    endpoint: 'message/v3',
    body: {},
    effect: { id: 'message-1', at: START_MS, contact: '541155550000', endpoint: 'message/v3', body: {} },
    end: 'accepted',
    isAnswered: false,
  }),
  entry(1_250, {
    kind: 'fault',
    process: 'send-1',
    id: 'send call 1 dies-after',
    function: 'send',
    call: 'call message/v3',
    fault: 'dies-after',
  }),
  entry(1_250, { kind: 'ended', process: 'send-1', function: 'send', how: 'died' }),
  ...Array.from({ length: 12 }, (_, index) => [
    entry(200_000 + index * 30_000, { kind: 'invoked', process: 'send-2', function: 'send', messages: 1 } as const),
    entry(200_010 + index * 30_000, {
      kind: 'write',
      process: 'send-2',
      key: KEY,
      before: { ...claimed, failingSince: at(200_010), lastFailedAt: at(199_010 + index * 30_000) },
      after: { ...claimed, failingSince: at(200_010), lastFailedAt: at(200_010 + index * 30_000) },
    } as const),
    entry(200_020 + index * 30_000, { kind: 'ended', process: 'send-2', function: 'send', how: 'failed' } as const),
  ]).flat(),
  entry(90_000_000, { kind: 'write', process: 'send-2', key: KEY, before: claimed, after: claimed }),
  entry(90_000_010, {
    kind: 'write',
    process: 'send-2',
    key: KEY,
    before: claimed,
    after: send('accepted', {
      attempts: 2,
      claimId: 'claim-2',
      acceptedAt: at(90_000_010),
      outcome: 'It was accepted.',
    }),
  }),
  entry(90_000_020, {
    kind: 'published',
    process: 'publish-1',
    id: 'id-1',
    detailType: 'SendAccepted',
    detail: { requestId: 'request-7' },
  }),
];

describe('the timeline of a run', () => {
  it('has a column for each part and process, sections, marks, and folded repetitions', () => {
    const violations = [
      { invariant: 'sentOnce', what: 'request-7 reached the user 2 times.', entryIndex: RUN.length - 2 },
      { invariant: 'everythingEnds', what: 'request-8 never ended.' },
    ];
    expect(renderTimeline(RUN, violations)).toMatchInlineSnapshot(`
      "               users  internal  chat service  delivery  receive-1  send-1  send-2  publish-1  table  queues  bus
                0 ms   ●────────────────────▶                                                                            +5491155550000 writes "Hi"
                2 ms                        ●───────────▶                                                                event-1: message m-1 from 5491155550000
               20 ms                                    ●                                                                delivers event-1, attempt 1
               20 ms                                              ┬                                                      receive starts, 1 message
               31 ms                                              ●───────────────────────────────────▶                  CONTACT chat#*#541155550000: created (lastInboundAt -31 ms, name)
               32 ms                                              ┴                                                      receive ends
               33 ms                                    ●                                                                answer 200 for event-1, lost on its way
               1.2 s            ●                                                                                        queues request-7 to +5491155550000 (text), group producer-2
               1.2 s            ●─────────────────────────────────────────────────────────────────────────────▶          send ← request-7
              1.21 s                                                        ┬                                            send starts, 1 message
              1.24 s                                                        ●─────────────────────────▶                  SEND request-7: none → claimed (attempts 1, claimId claim-1, claimedAt now, leaseUntil +3 min)
              1.25 s                        ◀───────────────────────────────●                                            message/v3 request-7: accepted as message-1, but the answer is lost
       !      1.25 s                                                        ✗                                            FAULT dies-after at call message/v3
              1.25 s                                                        ┴                                            send DIES
      --- 3 min 18 s later, 3 min 20 s after the start ---
                0 ms                                                                ┬                                    send starts, 1 message
               10 ms                                                                ●─────────────────▶                  SEND request-7: still claimed (lastFailedAt now)
               20 ms                                                                ┴                                    send FAILS
                    ... the same 3 lines 11 more times, for 5 min 30 s
      --- 1 d later, 1 d 1 h after the start ---
                0 ms                                                                ●─────────────────▶                  SEND request-7: claimed → accepted (attempts 1 → 2, claimId claim-2, -claimedAt, -leaseUntil, acceptedAt now, outcome)
      >>>       0 ms                                                                                                     VIOLATED sentOnce: request-7 reached the user 2 times.
               10 ms                                                                         ●──────────────────────▶    SendAccepted request-7
      >>>      10 ms                                                                                                     VIOLATED everythingEnds: request-8 never ended."
    `);
  });

  it('has one column for each function if there are many processes', () => {
    const many = Array.from({ length: 9 }, (_, index) => [
      entry(index * 100, { kind: 'invoked', process: `send-${index}`, function: 'send', messages: index } as const),
      entry(index * 100 + 150, { kind: 'ended', process: `send-${index}`, function: 'send', how: 'answered' } as const),
    ]).flat();
    const timeline = renderTimeline(many.toSorted((one, other) => one.atMs - other.atMs));
    expect(timeline.split('\n').slice(0, 3)).toEqual([
      '               send',
      '          0 ms   ┬    send-0: send starts, 0 messages',
      '        100 ms   ┬    send-1: send starts, 1 message',
    ]);
  });

  it('shows no content', () => {
    expect(renderTimeline(RUN.slice(8))).not.toContain('Hello');
  });
});

describe('a described write', () => {
  const write = (before: Record<string, unknown> | undefined, after: Record<string, unknown> | undefined) =>
    describeWrite({ atMs: START_MS, kind: 'write', key: KEY, before, after });

  it('shows the state and the changed attributes, with times relative to the write', () => {
    expect(write(send('waiting', { attempts: 1 }), send('claimed', { attempts: 2, leaseUntil: at(180_000) }))).toBe(
      'SEND request-7: waiting → claimed (attempts 1 → 2, leaseUntil +3 min)',
    );
  });

  it('shows what was removed, and names what is long', () => {
    const long = send('uncertain', { outcome: 'HTTP 502 or so' });
    expect(write(send('claimed', { leaseUntil: at(0) }), long)).toBe(
      'SEND request-7: claimed → uncertain (-leaseUntil, outcome)',
    );
  });

  it('shows a deletion, and an item that has no state', () => {
    expect(write(send('claimed'), undefined)).toBe('SEND request-7: deleted');
    expect(write(undefined, { failingSince: at(-60_000) })).toBe('SEND request-7: created (failingSince -1 min)');
  });
});

describe('human times', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1_250, '1.25 s'],
    [60_000, '1 min'],
    [125_900, '2 min 5 s'],
    [3_600_000, '1 h'],
    [86_400_000 + 7_200_000 + 1, '1 d 2 h'],
    [-1_500, '-1.5 s'],
  ])('%i ms is %s', (ms, text) => {
    expect(humanTime(ms)).toBe(text);
  });
});
