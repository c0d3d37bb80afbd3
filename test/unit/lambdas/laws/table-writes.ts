import fc from 'fast-check';
import { createDynamodbAudit } from '../../../../lambdas/adapters/dynamodb/audit.ts';
import { createDynamodbChannels } from '../../../../lambdas/adapters/dynamodb/channels.ts';
import { createDynamodbCircuit } from '../../../../lambdas/adapters/dynamodb/circuit.ts';
import { createDynamodbContacts } from '../../../../lambdas/adapters/dynamodb/contacts.ts';
import { createDynamodbErasures } from '../../../../lambdas/adapters/dynamodb/erasures.ts';
import { createDynamodbGaps } from '../../../../lambdas/adapters/dynamodb/gaps.ts';
import { createDynamodbKeptDeadLetters } from '../../../../lambdas/adapters/dynamodb/kept-dead-letters.ts';
import { createDynamodbMessages } from '../../../../lambdas/adapters/dynamodb/messages.ts';
import { createDynamodbSends } from '../../../../lambdas/adapters/dynamodb/sends.ts';
import { createDynamodbStops } from '../../../../lambdas/adapters/dynamodb/stops.ts';
import type { ConversationTable } from '../../../../lambdas/adapters/dynamodb/table.ts';
import { type ContactRef, contactRef } from '../../../../lambdas/domain/contact.ts';
import { WriteRefusedError } from '../../../../lambdas/domain/errors.ts';
import { addMs, type Instant } from '../../../../lambdas/domain/instant.ts';
import { type AddressedSend, acceptedMessage, type Claim, type SendResult } from '../../../../lambdas/domain/send.ts';
import { startTrace } from '../../../../lambdas/domain/trace-context.ts';
import type { EventTime, StatusKind } from '../../../../lambdas/domain/webhook-event.ts';
import { CONSENT_REGISTERS } from '../../../../lambdas/table/consent-item.ts';
import { createSimulatedTable, createTableState } from '../../../simulation/world/table.ts';
import { ACCOUNT, NOW, queuedSend, sendRequest, USER } from '../../../support/builders.ts';

/** One call of a repository, with what distinguishes it from others of its kind. */
export interface Step {
  readonly name: string;
  /** Which of two requests, messages, contacts, or probes it is about. */
  readonly which: 0 | 1;
  /** Selects among the variants of the call. */
  readonly variant: number;
  /** How much time passes before it. */
  readonly afterMs: number;
}

/** Everything that the functions write, one call at a time, at a clock of its own. */
export interface TableWriter {
  /** Of all steps. */
  readonly names: readonly string[];
  readonly now: () => Instant;
  readonly write: (step: Step) => Promise<void>;
  /** Completes the erasures, as their worker does, once every function has ended. */
  readonly finish: () => Promise<void>;
}

const LEASE_MS = 180_000;
/** Longer than any function runs. */
const CALLS_END_MS = 20 * 60 * 1000;
const LATE_MS = 3 * 24 * 60 * 60 * 1000;
const CALLER = { arn: 'arn:aws:iam::111122223333:user/ana' };
const CALL = { endpoint: 'message/v3' as const, body: { messageText: 'Hi' } };
const STATUSES = ['sent', 'delivered', 'read', 'failed', 'other'] as const satisfies readonly StatusKind[];
const SOURCES = ['event', 'publish-time', 'arrival'] as const;

export const createTableWriter = (table: ConversationTable, contactOf: (which: 0 | 1) => ContactRef): TableWriter => {
  let now: Instant = NOW;
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `id-${ids}`;
  };
  const claims: (Claim & { readonly attempt: number })[][] = [[], []];
  const probes: string[] = [];
  const started = new Map<string, 0 | 1>();
  const sends = createDynamodbSends(table);
  const messages = createDynamodbMessages(table, { gapClock: { now: () => now } });
  const channels = createDynamodbChannels(table);
  const gaps = createDynamodbGaps(table);
  const contacts = createDynamodbContacts(table, { readsHandovers: false });
  const circuit = createDynamodbCircuit(table, ACCOUNT);
  const stops = createDynamodbStops(table, ACCOUNT);
  const erasures = createDynamodbErasures(table);
  const audit = createDynamodbAudit(table, { newId });
  const deadLetters = createDynamodbKeptDeadLetters(table);

  /** Two requests with one id have two bodies. */
  const sendOf = (which: 0 | 1, isReused = false): AddressedSend => {
    const request = sendRequest({ requestId: `request-${which}`, messageText: isReused ? 'Other' : 'Hi' });
    return { ...queuedSend(request), contact: contactOf(which) };
  };
  const channelOf = (which: 0 | 1) => ({ platform: 'chat', line: which === 0 ? '*' : '5491100000000' });
  const messageId = ({ which, variant }: Step) => `message-${(which + variant) % 3}`;
  /** An event's own time can be any time before it arrives. */
  /** The callers of two deliveries can have started two traces. */
  const traceOf = ({ variant }: Step) => startTrace('message', `trace ${variant % 3}`);

  const eventTime = ({ variant }: Step): EventTime => {
    const source = SOURCES[variant % 3] ?? 'event';
    return { at: source === 'arrival' ? now : addMs(now, -(variant % 5) * (LATE_MS / 4)), source };
  };
  const results = ({ which, variant }: Step): readonly SendResult[] => [
    { state: 'accepted', at: now, messageId: `sent-${which}-${variant % 2}`, outcome: 'Accepted.' },
    { state: 'accepted', at: now, outcome: 'Accepted.' },
    { state: 'refused', at: now, code: 'OPTED_OUT', decision: 'Opted out.' },
    { state: 'expired', at: now, decision: 'notAfter has passed.' },
    { state: 'rejected', at: now, outcome: 'HTTP 400', outcomeDetails: 'No.' },
    { state: 'waiting', at: now, outcome: 'HTTP 503', outcomeDetails: 'Later.' },
    { state: 'uncertain', at: now, outcome: 'HTTP 502', isAnswered: variant % 2 === 0 },
  ];

  const eraseAll = async (contact: ContactRef, requestedAt: Instant): Promise<number> => {
    let found = 0;
    await erasures.removeContact(contact, requestedAt);
    for (
      let next: Readonly<Record<string, unknown>> | undefined = {}, first = true;
      next !== undefined;
      first = false
    ) {
      const page = await erasures.listItems(contact, requestedAt, first ? undefined : next);
      for (const item of page.items) if ((await erasures.erase(contact, item, now)) !== 'gone') found += 1;
      next = page.next;
    }
    // By then, the writers of all dead letters have ended.
    const { isComplete } = await erasures.eraseKeptDeadLetters([contact], addMs(now, 90_000));
    return found + (isComplete ? 0 : 1);
  };

  /** Makes a pass of an erasure. Returns whether the erasure is done. */
  const makePass = async (erasureId: string, which: 0 | 1): Promise<boolean> => {
    const before = await erasures.read(erasureId);
    if (before === undefined || before.state === 'done') return true;
    const found = await eraseAll(contactOf(which), before.requestedAt);
    const pass = { messages: found, sends: 0, deadLetters: 0, ...(found === 0 && { finishedAt: now }) };
    await erasures.recordPass(before, pass);
    return found === 0;
  };

  const STEPS: Readonly<Record<string, (step: Step) => Promise<unknown>>> = {
    register: ({ which, variant }) => sends.register(sendOf(which, variant % 4 === 0), now),
    schedule: ({ which, variant }) => sends.schedule(sendOf(which), { at: now, sendAt: addMs(now, variant * 60_000) }),
    async claim({ which, variant }) {
      const claim = {
        claimId: newId(),
        claimedAt: now,
        leaseUntil: addMs(now, LEASE_MS),
        call: CALL,
        decision: 'Open.',
      };
      const claimed = await sends.claim(sendOf(which, variant % 6 === 0), claim, { resend: variant % 2 === 0 });
      if (claimed.kind === 'claimed') claims[which]?.push({ ...claim, attempt: claimed.attempt });
    },
    async replaceCall({ which }) {
      const claim = claims[which]?.at(-1);
      const call = { endpoint: 'intent/v2' as const, body: { ruleNameOrId: 'hello' } };
      if (claim && now < claim.leaseUntil) {
        await sends.replaceCall(`request-${which}`, claim.claimId, { call, decision: 'Closed.' });
      }
    },
    async recordResult(step) {
      const claim = claims[step.which]?.at(-1 - (step.variant % 2));
      const possible = results(step);
      const result = possible[step.variant % possible.length];
      // A function never outlives its lease.
      if (!claim || !result || now >= claim.leaseUntil) return;
      await sends.recordResult(`request-${step.which}`, claim.claimId, result);
      if (result.state !== 'accepted' || result.messageId === undefined) return;
      const sent = { id: result.messageId, requestId: `request-${step.which}`, contact: contactOf(step.which) };
      const { call, claimedAt, attempt } = claim;
      await messages.recordOutbound({ ...sent, call, claimedAt, attempt });
    },
    async loseTrack({ which }) {
      const claim = claims[which]?.at(-1);
      if (!claim || now < claim.leaseUntil) return;
      // As a second delivery does, which leaves an erased send alone.
      const stored = await sends.read(`request-${which}`);
      if (stored?.erasedAt !== undefined) return;
      const result = { state: 'uncertain' as const, at: now, outcome: 'The function died.', isAnswered: false };
      await sends.recordResult(`request-${which}`, claim.claimId, result);
    },
    recordWithoutCall({ which, variant }) {
      const reused = variant % 5 === 0;
      return (
        [
          () =>
            sends.recordWithoutCall(sendOf(which, reused), {
              state: 'waiting',
              at: now,
              decision: `Waits ${variant}.`,
            }),
          () => sends.recordWithoutCall(sendOf(which, reused), { state: 'expired', at: now, decision: 'Too late.' }),
          () =>
            sends.recordWithoutCall(sendOf(which, reused), {
              state: 'refused',
              at: now,
              code: variant % 2 === 0 ? 'PROCESSING_FAILED' : 'NO_OPT_IN',
              decision: 'No.',
            }),
        ][variant % 3]?.() ?? Promise.resolve()
      );
    },
    recordFailure: ({ which, variant }) =>
      sends.recordFailure({ requestId: `request-${which}`, ...(variant % 2 && { body: sendOf(which).body }) }, now),
    async confirm(step) {
      const id = `sent-${step.which}-${step.variant % 2}`;
      const sent = await sends.confirm(`request-${step.which}`, { messageId: id, at: eventTime(step).at });
      if (sent) await messages.recordOutbound(sent);
    },
    cancel: ({ which }) => sends.cancel(`request-${which}`, now),
    async resolve({ which, variant }) {
      const send = await sends.read(`request-${which}`);
      const outcome = (['accepted', 'failed', 'resend'] as const)[variant % 3];
      if (send === undefined || outcome === undefined) return;
      const common = { at: now, why: 'An operator resolved it.' };
      const id = `sent-${which}-${variant % 2}`;
      const resolution = outcome === 'accepted' ? { ...common, outcome, messageId: id } : { ...common, outcome };
      const resolved = await sends.resolve(send, resolution);
      const message = acceptedMessage({ ...send, messageId: id });
      if (resolved.kind !== 'applied' || outcome !== 'accepted' || !message || send.body === '') return;
      await messages.recordOutbound(message);
    },
    recordInbound: (step) =>
      ignoreRefusals(
        messages.recordInbound({
          kind: 'message',
          id: messageId(step),
          time: eventTime(step),
          body: `{"n":${step.variant % 3}}`,
          traceparent: traceOf(step),
          contact: contactOf(step.which),
          address: USER,
          opensWindow: true,
          ...(step.variant % 7 === 0 && { isFromStatus: true as const }),
        }),
      ),
    recordEcho: (step) =>
      ignoreRefusals(
        messages.recordEcho({
          kind: 'echo',
          sender: 'business',
          id: messageId(step),
          time: eventTime(step),
          body: `{"n":${step.variant % 3}}`,
          traceparent: traceOf(step),
          ...(step.variant % 2
            ? { contact: contactOf(step.which) }
            : { customer: { platform: 'chat', customerId: 'customer-1' } }),
        }),
      ),
    recordStatus(step) {
      const status = STATUSES[step.variant % STATUSES.length] ?? 'other';
      return ignoreRefusals(
        messages.recordStatus({
          kind: 'status',
          id: step.variant % 3 === 0 ? `sent-${step.which}-0` : messageId(step),
          status,
          literal: status,
          time: eventTime(step),
          body: `{"STATUS":"${status}","n":${step.variant % 4}}`,
          traceparent: traceOf(step),
          subject: step.variant % 2 ? contactOf(step.which) : { platform: 'chat', customerId: 'customer-1' },
          ...(step.variant % 3 && { channel: channelOf(step.which) }),
        }),
      );
    },
    openWindow: (step) =>
      contacts.openWindow({
        kind: 'message',
        id: messageId(step),
        time: eventTime(step),
        body: `{"n":${step.variant % 3}}`,
        traceparent: traceOf(step),
        contact: contactOf(step.which),
        address: USER,
        opensWindow: true,
      }),
    denyWindow: (step) => contacts.denyWindow(contactOf(step.which), eventTime(step).at),
    recordCheck: (step) =>
      contacts.recordCheck(contactOf(step.which), {
        checkedAt: eventTime(step).at,
        checkedAddress: step.variant % 2 ? USER : undefined,
      }),
    async recordConsent(step) {
      const register = CONSENT_REGISTERS[step.variant % CONSENT_REGISTERS.length];
      if (!register) return;
      const { kind, origin } = register;
      const consent = { kind, origin, at: eventTime(step).at, source: `form ${step.variant % 2}`, recordedAt: now };
      await contacts.recordConsent(contactOf(step.which), consent);
    },
    openCircuit: ({ variant }) =>
      circuit.open({
        reason: 'unreachable',
        why: 'HTTP 502',
        calledAt: addMs(now, -variant * 1_000),
        openedAt: now,
        nextProbeAt: addMs(now, 5_000),
      }),
    async claimProbe() {
      const probeId = newId();
      const { isClaimed } = await circuit.claimProbe({ probeId, now, leaseUntil: addMs(now, LEASE_MS) });
      if (isClaimed) probes.push(probeId);
    },
    failProbe: ({ variant }) =>
      circuit.failProbe(probes.at(variant % 5 === 0 ? -2 : -1) ?? 'none', {
        reason: 'unreachable',
        why: 'HTTP 502',
        nextProbeAt: addMs(now, 60_000),
        ...(variant % 2 === 0 && { sendFailedAt: now }),
      }),
    closeCircuit: ({ variant }) => circuit.close(probes.at(variant % 5 === 0 ? -2 : -1) ?? 'none', now),
    probeNow: () => circuit.probeNow(now),
    // Operators whose clocks differ, so that an act can arrive after a later one.
    stopSending: ({ variant }) =>
      stops.stop({ stoppedAt: addMs(now, -(variant % 3) * 1_000), note: `note ${variant % 2}` }),
    resumeSending: ({ variant }) => stops.resume(addMs(now, -(variant % 3) * 1_000)),
    // The contacts follow from the body.
    keepDeadLetter: ({ which }) =>
      deadLetters.keep(
        { id: `letter-${which}`, queue: 'send', reason: 'MALFORMED', body: `{"n":${which}}`, since: NOW },
        which === 0 ? [] : [contactOf(which)],
        { at: now, keepId: newId() },
      ),
    deleteDeadLetter: ({ which }) => deadLetters.delete(`letter-${which}`),
    recordAct: ({ which, variant }) =>
      audit.record({
        action: 'opt-in',
        at: now,
        caller: CALLER,
        details: { source: 'form', note: 'by phone' },
        ...(variant % 2 && { contact: contactOf(which) }),
      }),
    noteMessage: async ({ which, variant }) => {
      await channels.register(channelOf(which), addMs(now, -variant * 60_000));
      await channels.noteMessage(channelOf(which), addMs(now, -variant * 60_000));
    },
    noteEcho: ({ which, variant }) => channels.noteEcho(channelOf(which), addMs(now, -variant * 60_000)),
    recordSilence: ({ which, variant }) => channels.recordSilence(channelOf(which), addMs(now, -variant * 60_000)),
    async endSilence({ which, variant }) {
      const found = (await channels.list()).find(({ line }) => line === channelOf(which).line);
      const { silentSince } = found ?? {};
      if (silentSince) await channels.endSilence(channelOf(which), silentSince, variant % 2 ? now : undefined);
    },
    recordWatch: ({ which, variant }) =>
      channels.recordWatch(channelOf(which), now, variant % 2 ? addMs(now, -variant * 60_000) : undefined),
    confirmGap: (step) => gaps.confirm({ messageId: messageId(step), firstStatusAt: eventTime(step).at }),
    closeGap: (step) => gaps.close(messageId(step), now),
    async erase({ which, variant }) {
      const erasureId = `erasure-${which}-${variant % 2}`;
      await erasures.start(erasureId, addMs(now, -(variant % 4) * 60_000));
      started.set(erasureId, which);
      await makePass(erasureId, which);
    },
  };

  return {
    names: Object.keys(STEPS),
    now: () => now,
    async write(step) {
      now = addMs(now, step.afterMs);
      await STEPS[step.name]?.(step);
    },
    async finish() {
      now = addMs(now, CALLS_END_MS);
      for (const [erasureId, which] of started) while (!(await makePass(erasureId, which)));
    },
  };
};

export const steps = (names: readonly string[], maxLength = 60): fc.Arbitrary<readonly Step[]> =>
  fc.array(
    fc.record({
      name: fc.constantFrom(...names),
      which: fc.constantFrom(0 as const, 1 as const),
      variant: fc.nat(41),
      afterMs: fc.constantFrom(0, 1, 1_000, 61_000, LEASE_MS, 2 * 60 * 60 * 1000),
    }),
    { minLength: 1, maxLength, size: 'max' },
  );

/** The message with an event's ID may be one that Parley sent, or another contact's, which the table does not replace. */
const ignoreRefusals = (writing: Promise<unknown>): Promise<unknown> =>
  writing.catch((error: unknown) => {
    if (!(error instanceof WriteRefusedError)) throw error;
  });

/** Two contacts of any number, or of one business number. */
export const contactsOf =
  (channel?: string) =>
  (which: 0 | 1): ContactRef =>
    contactRef('chat', `+549115555000${which}`, channel);

const TABLE = createSimulatedTable(createTableState(), async (_label, perform) => perform());
const NAMES = createTableWriter(TABLE, contactsOf()).names;

/** What the functions write about one part of the table, so that a short history goes deep, and all of it. */
export const PARTS = {
  'a send': [...NAMES.slice(0, NAMES.indexOf('recordInbound')), 'erase'],
  'a message': [
    ...['claim', 'recordResult', 'confirm', 'recordInbound', 'recordEcho', 'recordStatus', 'confirmGap', 'closeGap'],
    'erase',
  ],
  'a channel': ['noteMessage', 'noteEcho', 'recordSilence', 'endSilence', 'recordWatch'],
  'a contact': ['openWindow', 'denyWindow', 'recordCheck', 'recordConsent', 'erase'],
  'the circuit breaker': [
    'openCircuit',
    'claimProbe',
    'failProbe',
    'closeCircuit',
    'probeNow',
    'stopSending',
    'resumeSending',
  ],
  'the other items': ['keepDeadLetter', 'deleteDeadLetter', 'recordAct', 'erase'],
  'the whole table': NAMES,
} as const;
