import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startTrace } from '../../../../lambdas/domain/trace-context.ts';
import {
  CHANGE_LAWS,
  type ChangeLawName,
  LAWS,
  REFERENCE_LAWS,
  STORED_ITEM_LAWS,
  type StoredLawName,
  violationsAtRest,
  violationsOfChange,
} from '../../../../lambdas/laws/check-laws.ts';
import type { Change } from '../../../../lambdas/laws/law.ts';
import type { StoredItem } from '../../../../lambdas/laws/stored-item.ts';
import { readConsents } from '../../../../lambdas/table/consent-item.ts';
import { NOW, TRACEPARENT } from '../../../support/builders.ts';
import {
  accepted,
  auditEntry,
  CONTACT,
  channel,
  channelDay,
  channels,
  claimed,
  closedCircuit,
  consent,
  contact,
  deadLetter,
  deadLetterContact,
  deadLetterPart,
  denial,
  edited,
  erasedMessage,
  erasedSend,
  erasure,
  expiryOf,
  handover,
  inbound,
  LATER,
  openCircuit,
  outbound,
  queued,
  refused,
  resumed,
  statusOnly,
  stopped,
  turn,
  uncertain,
  version,
} from './stored-items.ts';

const HOUR_MS = 60 * 60 * 1000;
const CONTEXT = { now: '2026-11-20T12:10:00.000Z', graceMs: HOUR_MS, messageDays: 400 };
const NEXT_DAY = { ...CONTEXT, now: '2026-11-21T13:00:00.000Z' };
const OTHER_NUMBER = CONTACT.replace('*', '541100000000');
const OTHER_TRACE = startTrace('message', 'in-2');
const OF_NUMBER = { contact: OTHER_NUMBER };

/** For each law, changes that break it. */
const ILLEGAL_CHANGES: Readonly<Record<ChangeLawName, readonly Change[]>> = {
  'turn-only-grows': [
    { before: turn(), after: turn({ messageIds: new Set(['in-1']) }) },
    { before: turn(), after: turn({ firstMessageId: 'in-2' }) },
    { before: turn(), after: turn({ startedAt: LATER, expiresAt: expiryOf(LATER) }) },
  ],
  'handover-moves-forward': [
    { before: handover(), after: handover({ handoverAt: '2026-11-20T11:00:00.000Z' }) },
    { before: handover({ operatorWroteAt: NOW }), after: handover({ operatorWroteAt: '2026-11-20T11:00:00.000Z' }) },
  ],
  'send-follows-its-transitions': [
    { before: accepted(), after: claimed() },
    { after: accepted() },
    // The guards own-claim, same-request, processing-failed, may-resend, and confirmed-no-earlier.
    { before: claimed(), after: accepted({ claimId: 'claim-2' }) },
    { before: queued(), after: claimed({ body: 'other', queuedAt: NOW }) },
    {
      before: claimed({ state: 'refused', refusedAt: NOW, code: 'NO_OPT_IN', leaseUntil: undefined }),
      after: claimed(),
    },
    {
      before: uncertain({ isAnswered: true }),
      after: claimed({ uncertainAt: LATER, attempts: 2, unknownOutcomes: 1 }),
    },
    {
      before: accepted({ confirmedBy: 'status' }),
      after: accepted({ confirmedBy: 'status', acceptedAt: '2026-11-20T13' }),
    },
    // No transition changes this attribute.
    { before: claimed(), after: accepted({ scheduledAt: NOW }) },
    { before: accepted(), after: accepted({ outcome: 'HTTP 200' }) },
    // An erasure that leaves something, and one of a send that a function is processing.
    { before: accepted(), after: erasedSend({ call: accepted().call }) },
    { before: claimed(), after: erasedSend({ state: 'claimed', acceptedAt: undefined, messageId: undefined }) },
  ],
  'send-keeps-its-request': [
    { before: accepted(), after: accepted({ body: 'other' }) },
    { before: accepted(), after: accepted({ createdAt: LATER }) },
    { before: erasedSend(), after: erasedSend({ erasedAt: undefined }) },
  ],
  'send-counts-its-calls': [
    { before: queued(), after: claimed({ queuedAt: NOW, attempts: 2 }) },
    { before: claimed(), after: accepted({ unknownOutcomes: 1 }) },
    { before: uncertain(), after: claimed({ uncertainAt: LATER, attempts: 2 }) },
  ],
  'earliest-status-wins': [
    { before: outbound(), after: outbound({ deliveredAt: '2026-11-20T12:00:06.000Z' }) },
    { before: outbound(), after: outbound({ deliveredAt: undefined }) },
  ],
  'status-events-are-kept': [{ before: outbound(), after: outbound({ statusBodies: new Set() }) }],
  'latest-version-wins': [
    { before: inbound(), after: inbound({ createdAt: LATER, contactSort: `MESSAGE#${LATER}` }) },
    {
      before: inbound(),
      after: inbound({ body: '{"z":1}', isFromStatus: true, modifiedAt: '2026-11-19T12:00:00.000Z' }),
    },
    { before: inbound({ modifiedAt: LATER }), after: edited({ modifiedAt: NOW }) },
    // The version that it replaced is lost.
    { before: inbound(), after: edited({ versions: undefined }) },
    { before: version(), after: version({ body: '{}' }) },
  ],
  'message-keeps-its-request': [
    { before: outbound(), after: outbound({ requestId: 'order-18' }) },
    { before: outbound(), after: erasedMessage({ body: 'text' }) },
  ],
  'message-keeps-its-trace': [
    { before: inbound({ traceparent: TRACEPARENT }), after: inbound({ traceparent: OTHER_TRACE }) },
    { before: inbound({ traceparent: TRACEPARENT }), after: inbound() },
    { before: outbound({ traceparent: TRACEPARENT }), after: outbound({ traceparent: OTHER_TRACE }) },
  ],
  'message-keeps-its-contact': [
    { before: inbound(), after: inbound({ contact: 'CUSTOMER#chat#1', createdAt: '2026' }) },
  ],
  'contact-moves-forward': [
    { before: contact(), after: contact({ lastInboundAt: '2026-11-19T12:00:00.000Z' }) },
    { before: contact(), after: contact({ lastInboundDigest: 'a' }) },
    { before: denial(), after: denial({ windowDeniedAt: '2026-11-19T12:00:00.000Z' }) },
  ],
  'consent-moves-forward': [
    { before: consent(), after: consent({ userOptInAt: '2026-11-19T12:00:00.000Z' }) },
    { before: consent(), after: consent({ userOptInSource: 'a' }) },
    { before: consent(), after: consent({ userOptInAt: undefined }) },
  ],
  'consent-says-when-it-was-recorded': [
    { after: consent({ userOptInRecordedAt: undefined }) },
    {
      before: consent({ userOptInRecordedAt: undefined }),
      after: consent({ userOptInAt: LATER, userOptInRecordedAt: 1 }),
    },
  ],
  'circuit-breaker-follows-its-transitions': [
    { before: openCircuit(), after: closedCircuit({ closedAt: LATER }) },
    { before: closedCircuit(), after: closedCircuit({ closedAt: LATER }) },
    { before: closedCircuit(), after: openCircuit({ probes: 1 }) },
    { before: closedCircuit(), after: openCircuit({ sendFailedAt: NOW }) },
    { before: closedCircuit({ closedAt: LATER }), after: openCircuit() },
    { before: openCircuit(), after: openCircuit({ probes: 2, probeId: 'p' }) },
    { before: openCircuit(), after: openCircuit({ probes: 1, probeId: 'p' }) },
    { before: openCircuit(), after: openCircuit({ openedAt: NOW }) },
    { before: openCircuit(), after: openCircuit({ reason: 'token' }) },
    { before: openCircuit({ probeId: 'p' }), after: openCircuit({ probeId: 'p', nextProbeAt: LATER }) },
    { before: openCircuit(), after: stopped({ circuit: 'closed', closedAt: LATER }) },
  ],
  'latest-stop-counts': [
    { before: stopped({ stoppedAt: LATER }), after: stopped() },
    { before: stopped({ stoppedAt: LATER }), after: resumed({ resumedAt: NOW }) },
    { before: resumed(), after: stopped() },
    { before: resumed(), after: closedCircuit() },
  ],
  'erasure-moves-forward': [
    { before: erasure(), after: erasure({ turns: 2, messages: 1 }) },
    { before: erasure(), after: erasure({ turns: 3 }) },
    { before: erasure(), after: erasure({ turns: 2, requestedAt: LATER }) },
    { before: erasure({ state: 'done', finishedAt: LATER }), after: erasure({ turns: 2 }) },
  ],
  'audit-entry-does-not-change': [
    { before: auditEntry(), after: auditEntry({ caller: 'somebody else' }) },
    { before: auditEntry(), after: auditEntry({ source: undefined }) },
  ],
  'dead-letter-does-not-change': [{ before: deadLetterPart(), after: deadLetterPart({ data: 'other' }) }],
  'number-stays-registered': [{ before: channels(), after: channels({ channels: new Set() }) }],
  'channel-keeps-its-days': [
    { before: channelDay(), after: channelDay({ slots: new Set(['1']) }) },
    { before: channel(), after: channel({ firstSeenAt: LATER, stateAt: LATER }) },
  ],
  'item-is-deleted-only-as-documented': [
    { before: accepted() },
    { before: auditEntry() },
    { before: channels() },
    { before: consent(), isExpiry: true },
    { before: accepted({ expiresAt: undefined }), isExpiry: true },
  ],
};

const LEGAL_CHANGES: readonly Change[] = [
  { after: queued() },
  { before: queued(), after: refused({ queuedAt: NOW }) },
  { before: queued(), after: claimed({ queuedAt: NOW }) },
  { before: claimed(), after: accepted() },
  { before: claimed(), after: uncertain() },
  { before: accepted(), after: erasedSend() },
  { before: accepted(), isExpiry: true },
  { before: accepted(), after: accepted() },
  { before: queued(), after: queued({ failingSince: LATER, lastFailedAt: LATER }) },
  { before: inbound(), after: inbound({ createdAt: '2026-11-20T11:00:00.000Z' }) },
  { before: inbound() },
  { before: inbound(), after: edited() },
  { before: edited(), after: edited({ versions: new Set(['1', '2']) }) },
  { after: version() },
  { before: version() },
  { before: contact(), after: contact({ lastInboundAt: LATER }) },
  {
    before: consent(),
    after: consent({ userOptInAt: undefined, userOptInSource: undefined, userOptInRecordedAt: undefined }),
  },
  { before: closedCircuit(), after: openCircuit() },
  { before: openCircuit(), after: openCircuit({ probes: 1, probeId: 'p', nextProbeAt: '2026-11-20T12:03:00.000Z' }) },
  { before: openCircuit({ probes: 1, probeId: 'p' }), after: closedCircuit({ closedAt: LATER }) },
  { before: erasure(), after: erasure({ turns: 2, state: 'done', finishedAt: LATER }) },
  { before: deadLetter() },
  { before: outbound(), after: erasedMessage() },
];

/** For each law, items that break it together with the rest of the table. */
const ILLEGAL_ITEMS: Readonly<Partial<Record<StoredLawName, readonly (readonly StoredItem[])[]>>> = {
  'item-is-known': [[{ pk: 'ORDER#1', sk: 'ORDER' }], [{ pk: 'CONTACT#chat#1', sk: 'CONTACT' }]],
  'times-are-valid': [[contact({ lastInboundAt: '2026-11-20T12:00:00Z' })], [accepted({ acceptedAt: 5 }), outbound()]],
  'no-time-in-the-future': [[contact({ lastInboundAt: '2026-11-23T12:00:00.000Z' })]],
  'index-keys-match': [
    [inbound({ contactSort: undefined })],
    [inbound({ contactSort: `MESSAGE#${LATER}` })],
    [uncertain({ stateShard: undefined, stateAt: undefined })],
    [uncertain({ stateAt: NOW })],
    [claimed({ stateShard: 'claimed#7', stateAt: NOW })],
    [accepted({ stateShard: 'uncertain#7', stateAt: LATER }), outbound()],
    [accepted({ broadcastState: `accepted##${NOW}` }), outbound()],
    [accepted({ broadcastId: 'b' }), outbound()],
    [accepted({ broadcastShard: 'b#7' }), outbound()],
    [accepted({ broadcastId: 'b', broadcastShard: 'c#7' }), outbound()],
    [refused({ stateAt: LATER })],
    [channel({ stateAt: LATER })],
    [inbound({ stateShard: 'gap#1', stateAt: NOW })],
    [statusOnly({ stateShard: 'uncertain#1', stateAt: NOW })],
    [refused({ stateShard: 'rejected#7' })],
    [refused({ stateShard: undefined, stateAt: undefined })],
    [refused({ broadcastState: `refused##${LATER}` })],
    [auditEntry({ contactSort: `AUDIT#${LATER}` })],
    [version({ contactSort: `MESSAGE#${NOW}` })],
  ],
  'consent-is-complete': [
    [consent({ userOptInSource: undefined })],
    [consent({ userOptInAt: undefined })],
    [consent({ userOptInSource: 1 })],
    [consent({ userOptInAt: undefined, userOptInSource: undefined })],
  ],
  'message-is-complete': [
    [inbound({ body: undefined })],
    [inbound({ requestId: 'order-17' })],
    [{ pk: 'MESSAGE#in-1', sk: 'MESSAGE', expiresAt: expiryOf(NOW) }],
    [inbound({ sk: 'ECHO', direction: 'echo', body: undefined })],
    [version({ modifiedAt: undefined })],
  ],
  'erased-item-has-no-personal-data': [
    [erasedSend({ call: { endpoint: 'message/v3' } })],
    [erasedSend({ body: 'text' })],
    [erasedSend({ outcomeDetails: 'text' })],
    [auditEntry({ erasedAt: LATER })],
    [outbound({ erasedAt: LATER })],
  ],
  'turn-ends': [
    [turn({ messageIds: new Set(['in-2']) })],
    [turn({ startedAt: undefined })],
    [turn({ startedAt: '2026-11-18T12:00:00.000Z', expiresAt: expiryOf('2026-11-18T12:00:00.000Z') })],
  ],
  'erasure-ends': [[erasure({ requestedAt: '2026-11-19T12:00:00.000Z' })], [erasure({ state: 'done' })]],
  'stop-is-complete': [
    [stopped({ stopNote: undefined })],
    [resumed({ stopNote: 'Wrong template' })],
    [stopped({ resumedAt: LATER })],
  ],
  'circuit-breaker-is-complete': [
    [stopped({ openedAt: NOW })],
    [openCircuit({ reason: undefined })],
    [openCircuit({ nextProbeAt: NOW })],
    [closedCircuit({ closedAt: undefined })],
  ],
  'expiry-follows-retention': [
    [turn({ addedAt: LATER, expiresAt: expiryOf(LATER) + 1 })],
    [contact({ expiresAt: undefined })],
    [contact({ expiresAt: expiryOf(NOW) + 1 })],
    [contact({ expiresAt: expiryOf(NOW, 0) })],
    [consent({ expiresAt: expiryOf(NOW) })],
    [denial({ expiresAt: expiryOf(NOW, 2) })],
    [accepted({ expiresAt: expiryOf(LATER) + 7 }), outbound()],
  ],
  'send-is-complete': [
    [queued({ queuedAt: undefined })],
    [queued({ state: 'sent' })],
    [queued({ code: 'NO_OPT_IN' })],
    [claimed({ claimId: undefined })],
    [{ pk: 'SEND#order-17', sk: 'SEND', expiresAt: expiryOf(NOW) }],
  ],
  'send-times-are-in-order': [
    [queued({ createdAt: '2026-11-20T12:05:00.000Z', contactSort: 'SEND#2026-11-20T12:05:00.000Z' })],
    [claimed({ leaseUntil: NOW })],
    [accepted({ acceptedAt: '2026-11-20T11:00:00.000Z' }), outbound()],
    [uncertain({ uncertainAt: '2026-11-20T11:00:00.000Z', stateAt: '2026-11-20T11:00:00.000Z' })],
  ],
  'acceptance-ends-uncertainty': [[accepted({ uncertainAt: LATER }), outbound()]],
};

/** The same, more than an hour later. */
const LATE_ILLEGAL_ITEMS: typeof ILLEGAL_ITEMS = {
  'claim-ends-with-its-lease': [[claimed()]],
  'accepted-send-has-its-message': [
    [accepted()],
    [accepted(), outbound({ requestId: 'order-18' })],
    [accepted(), { pk: 'MESSAGE#sent-1', sk: 'MESSAGE', deliveredAt: LATER, expiresAt: expiryOf(NOW) }],
  ],
  'erased-send-has-no-message': [
    [erasedSend(), outbound()],
    [erasedSend({ messageId: 'sent-2', messageIds: new Set(['sent-1', 'sent-2']) }), outbound()],
  ],
  'listed-version-is-stored': [[edited()]],
  'dead-letter-is-complete': [[deadLetter(), deadLetterPart()], [deadLetterPart()], [deadLetterContact()]],
  'business-number-is-registered': [
    [inbound(OF_NUMBER)],
    [contact({ pk: OTHER_NUMBER }), channels({ channels: new Set() })],
  ],
};

const LEGAL_ITEMS: readonly StoredItem[] = [
  accepted(),
  outbound(),
  edited(),
  version(),
  inbound({ pk: 'MESSAGE#in-2' }),
  inbound({ pk: 'MESSAGE#echo-1', sk: 'ECHO', direction: 'echo' }),
  contact(),
  denial(),
  turn(),
  turn({ pk: OTHER_NUMBER, addedAt: LATER, expiresAt: expiryOf(LATER) }),
  consent(),
  openCircuit(),
  erasure({ state: 'done', finishedAt: LATER }),
  auditEntry(),
  erasedMessage({ pk: 'MESSAGE#sent-2' }),
  deadLetter(),
  deadLetterPart(),
  deadLetterContact(),
  contact({ pk: OTHER_NUMBER }),
  channels(),
  channel(),
  channelDay(),
  statusOnly(),
  statusOnly({ pk: 'MESSAGE#missing-2', stateShard: 'missing#3', stateAt: NOW, missingSince: NOW }),
];

const rowsOf = <Example>(examples: Readonly<Record<string, readonly Example[]>>) =>
  Object.entries(examples).flatMap(([law, list]) => list.map((example, index) => [law, index, example] as const));

describe('a change that breaks a law', () => {
  it.each(rowsOf(ILLEGAL_CHANGES))('is reported: %s, example %i', (law, _index, change) => {
    expect(violationsOfChange(change).map((violation) => violation.law)).toContain(law);
  });

  it('is illegal for each law of changes', () => {
    expect(Object.keys(ILLEGAL_CHANGES).toSorted()).toEqual(CHANGE_LAWS.map(({ name }) => name).toSorted());
  });

  it('is not one that Parley makes', () => {
    expect(LEGAL_CHANGES.flatMap((change) => violationsOfChange(change))).toEqual([]);
  });
});

describe('a stored item that breaks a law', () => {
  it.each(rowsOf(ILLEGAL_ITEMS))('is reported: %s, example %i', (law, _index, items) => {
    expect(violationsAtRest(items, CONTEXT).map((violation) => violation.law)).toContain(law);
  });

  it.each(rowsOf(LATE_ILLEGAL_ITEMS))(
    'is reported once no retry can explain it: %s, example %i',
    (law, _index, items) => {
      const lawsAt = (context: typeof CONTEXT) => violationsAtRest(items, context).map((violation) => violation.law);

      expect(lawsAt(NEXT_DAY)).toContain(law);
      // Where a retry can still complete it, it is not reported yet.
      const isRetried = /^(claim|accepted|erased)-/.test(law);
      expect(lawsAt(CONTEXT).some((broken) => broken === law)).toBe(!isRetried);
    },
  );

  it('is illegal for each law of stored items', () => {
    const broken = [...Object.keys(ILLEGAL_ITEMS), ...Object.keys(LATE_ILLEGAL_ITEMS)];
    expect(broken.toSorted()).toEqual([...STORED_ITEM_LAWS, ...REFERENCE_LAWS].map(({ name }) => name).toSorted());
  });

  it('is not one that Parley writes', () => {
    for (const context of [CONTEXT, NEXT_DAY]) expect(violationsAtRest(LEGAL_ITEMS, context)).toEqual([]);
  });

  it('is not a consent without recordedAt', () => {
    const older = consent({ userOptInRecordedAt: undefined });

    expect(violationsAtRest([older], CONTEXT)).toEqual([]);
    expect(readConsents(older)).toHaveLength(1);
  });

  it('is not missing if it may have expired', () => {
    expect(violationsAtRest([accepted()], { ...NEXT_DAY, messageDays: 1 })).toEqual([]);
  });

  it('is described without its content', () => {
    const content = 'Where is my parcel?';
    const damaged = accepted({ state: content, acceptedAt: content, createdAt: content, messageId: content });
    const faults = [
      ...violationsAtRest([damaged, openCircuit({ circuit: content })], NEXT_DAY),
      ...violationsOfChange({ before: contact(), after: contact({ lastInboundAt: ` ${content}` }) }),
      ...violationsOfChange({ before: accepted(), after: damaged }),
    ];
    expect(faults.length).toBeGreaterThan(5);
    expect(JSON.stringify(faults)).not.toContain('parcel');
  });
});

describe('a law', () => {
  it('has a name of its own, a sentence, the page that promises it, and what to do next', () => {
    expect(new Set(LAWS.map(({ name }) => name)).size).toBe(LAWS.length);
    for (const { name, statement, source, next } of LAWS) {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)+$/);
      for (const sentence of [statement, next]) expect(sentence).toMatch(/^[A-Z].*\.$/);
      expect(existsSync(join(import.meta.dirname, '../../../../docs', source.replace(/#.*/, '')))).toBe(true);
    }
  });
});
