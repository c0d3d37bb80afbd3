import { contactKey } from '../../../../lambdas/domain/contact.ts';
import { parseDueMessage } from '../../../../lambdas/domain/send-request.ts';
import { parseContactName } from '../../../../lambdas/table/keys.ts';
import { isSendLane, type SendLane } from '../ledger.ts';
import { keywordsIn, windowEventsOf } from './receiving-invariants.ts';
import { type Invocation, idIn, type Recorded, type StageFacts } from './stage-facts.ts';
import type { StageInvariant } from './stage-invariant.ts';

export const MANAGING_INVARIANTS = {
  recordedBeforeAct: {
    sentence: 'The audit trail records the request before an operator changes anything.',
    check(facts, { checked, violated }) {
      const audits = facts.namesOf('AUDIT#').flatMap((name) => facts.writesOf(name));
      for (const { index, action, about } of operatorsChanges(facts)) {
        checked();
        const causes = causesOf(facts, index);
        const isRecorded = audits.some(
          ({ after, ...entry }) =>
            entry.index < index &&
            causes.includes(facts.invocationAt(entry)) &&
            after?.action === action &&
            Object.entries(about).every(([name, value]) => after[name] === value),
        );
        if (!isRecorded) violated(`The audit trail has no ${action}.`, index);
      }
    },
  },

  consentsAreTrue: {
    sentence:
      'Every stored opt-in and opt-out is one that an operator or internal system reported for this contact, or that the ' +
      'user wrote as a keyword, with its time and origin, and only an erasure removes it or replaces it with an earlier one.',
    check(facts, { checked, violated }) {
      const reported = new Set(
        facts.acts('consent').map((act) => {
          const attribute = `${act.origin}Opt${act.consent === 'opt-in' ? 'In' : 'Out'}At`;
          return `${contactKey(act.contact)} ${attribute} ${new Date(act.atMs - act.agoMs).toISOString()}`;
        }),
      );
      for (const { key, times } of keywordsIn(facts, windowEventsOf(facts))) {
        for (const time of times) reported.add(`${key} userOptOutAt ${time}`);
      }
      for (const { key, times } of keywordsIn(facts, windowEventsOf(facts), 'START')) {
        for (const time of times) reported.add(`${key} userOptInAt ${time}`);
      }
      for (const name of facts.namesOf('CONTACT#').filter((each) => each.endsWith(' CONSENT'))) {
        const key = parseContactName(name.slice(0, -' CONSENT'.length))?.key;
        for (const write of facts.writesOf(name)) {
          const { before, after, index } = write;
          for (const attribute of CONSENT_TIMES) {
            const [old, time] = [before?.[attribute], after?.[attribute]];
            if (old === time) continue;
            checked();
            if (time !== undefined && !reported.has(`${key} ${attribute} ${String(time)}`)) {
              violated(`${attribute} of ${name} is ${String(time)}, which nobody reported.`, index);
            }
            const isErased = facts.invocationAt(write)?.function === 'erase';
            if (String(time ?? '') < String(old ?? '') && !isErased) {
              violated(`${attribute} of ${name} went from ${String(old)} to ${String(time)}.`, index);
            }
          }
        }
      }
    },
  },

  answersAreTrue: {
    sentence: 'What the management API reports has happened.',
    check(facts, { checked, violated }) {
      for (const answer of facts.entries('api-answer')) {
        const { status = 500, act, index } = answer;
        if (status > 299) continue;
        const isTrue = isDone(facts, answer);
        if (isTrue === undefined) continue;
        checked();
        if (!isTrue) violated(`The API answered ${status} to ${act.kind}, which had not happened.`, index);
      }
    },
  },

  deadLettersHaveReasons: {
    sentence: 'Every dead letter has a reason.',
    check(facts, { checked, violated }) {
      for (const { queue, body, reason, index } of facts.entries('queued')) {
        if (!queue.endsWith('-dead-letters') || queue === 'publish-dead-letters') continue;
        checked();
        if (reason === undefined || reason === '') violated(`${queue} has no reason: ${body}`, index);
      }
    },
  },
} as const satisfies Record<string, StageInvariant>;

const CONSENT_TIMES = ['userOptInAt', 'userOptOutAt', 'importOptInAt', 'importOptOutAt'];

interface OperatorsChange {
  readonly index: number;
  readonly action: string;
  /** The expected audit trail entry. */
  readonly about: Readonly<Record<string, unknown>>;
}

/** The invocations that can have made a change: that of its time, and earlier ones of its process with repeated calls. */
const causesOf = (facts: StageFacts, index: number): readonly (Invocation | undefined)[] => {
  const invocation = facts.invocationAt({ index });
  const earlier = facts
    .entries('fault')
    .filter((entry) => entry.fault === 'repeated' && entry.index < index)
    .map((entry) => facts.invocationAt(entry))
    .filter((one) => one?.process === invocation?.process);
  return [invocation, ...earlier];
};

const operatorsChanges = (facts: StageFacts): readonly OperatorsChange[] => [
  ...facts.entries('write').flatMap((write): OperatorsChange[] => {
    const { key, before, after, index } = write;
    if (after === undefined || facts.invocationAt(write)?.function !== 'manage') return [];
    const change = (action: string, about: OperatorsChange['about']) => [{ index, action, about }];
    if (key.startsWith('ERASURE#') && before === undefined) return change('erasure', { erasureId: idIn(key) });
    // A resolution can show whose message failed, which is not an operator's decision.
    const isDecision = after.state !== 'queued' && after.state !== 'failed';
    if (key.startsWith('SEND#') && before?.state !== after.state && isDecision) {
      return change(after.state === 'cancelled' ? 'cancellation' : 'resolution', { requestId: idIn(key) });
    }
    if (key.startsWith('ACCOUNT#')) {
      if (after.stopNote !== before?.stopNote && after.stoppedAt !== undefined)
        return change('sending-stop', { note: after.stopNote });
      return after.resumedAt !== before?.resumedAt && after.resumedAt !== undefined
        ? change('sending-resumption', {})
        : change(after.stoppedAt === before?.stoppedAt ? 'circuit-breaker-closure' : 'sending-stop', {});
    }
    if (!key.endsWith(' CONSENT')) return [];
    return ['user', 'import'].flatMap((origin) =>
      (['In', 'Out'] as const).flatMap((kind) => {
        const consentAt = after[`${origin}Opt${kind}At`];
        const isChanged = consentAt !== undefined && consentAt !== before?.[`${origin}Opt${kind}At`];
        return isChanged ? change(`opt-${kind.toLowerCase()}`, { consentAt, origin }) : [];
      }),
    );
  }),
  ...facts.entries('queued').flatMap((entry): OperatorsChange[] => {
    const { index, queue, body } = entry;
    if (facts.invocationAt(entry)?.function !== 'manage') return [];
    if (queue === 'inbound') return [{ index, action: 'redrive', about: { queue } }];
    const dueId = queue === 'send' ? parseDueMessage(body) : undefined;
    return dueId === undefined || wasDeadLetter(facts, entry)
      ? []
      : [{ index, action: 'requeue', about: { requestId: dueId } }];
  }),
  ...facts.entries('deleted').flatMap((entry): OperatorsChange[] => {
    const { index, queue } = entry;
    if (facts.invocationAt(entry)?.function !== 'manage') return [];
    return [{ index, action: 'redrive', about: { queue: queue.replace('-dead-letters', '') } }];
  }),
];

/** Whether a queued message was a dead letter of its queue before, so that a redrive can have put it back. */
const wasDeadLetter = (facts: StageFacts, { queue, body, index }: Recorded<'queued'>): boolean =>
  facts
    .entries('queued')
    .some((entry) => entry.index < index && entry.queue === `${queue}-dead-letters` && entry.body === body);

/** Whether what an answer says had happened by then; undefined if the answer says nothing that can be compared. */
const isDone = (facts: StageFacts, { act, index, atMs, body }: Recorded<'api-answer'>): boolean | undefined => {
  const { entries } = facts.run.ledger;
  const before = entries.slice(0, index);
  const isQueued = (queue: string, matches: (text: string) => boolean): boolean =>
    before.some((entry) => entry.kind === 'queued' && entry.queue === queue && matches(entry.body));
  switch (act.kind) {
    case 'request': {
      const requestId = facts.requestIn(act.body)?.requestId ?? '';
      const state = facts.itemBefore(`SEND#${requestId} SEND`, index)?.state;
      const isWaiting = ['queued', 'waiting', 'claimed'].includes(String(state));
      return state !== undefined && (!isWaiting || isQueued('send', (text) => text.includes(`"${requestId}"`)));
    }
    case 'cancel':
      return facts.itemBefore(`SEND#${act.requestId} SEND`, index)?.state === 'cancelled';
    case 'requeue': {
      const isScheduled = facts.itemBefore(`SEND#${act.requestId} SEND`, index)?.state === 'scheduled';
      const isRequeued = facts
        .entries('queued')
        .some(
          (entry) =>
            entry.index < index &&
            entry.queue === 'send' &&
            parseDueMessage(entry.body) === act.requestId &&
            facts.invocationAt(entry)?.function === 'manage',
        );
      return !isScheduled || isRequeued;
    }
    case 'resolve': {
      const key = `SEND#${act.requestId} SEND`;
      const reached = { accepted: 'accepted', failed: 'rejected', resend: 'waiting' }[act.as];
      const writes = facts.writesOf(key).filter((write) => write.index < index && write.after?.state === reached);
      if (act.as !== 'resend') return writes.length > 0;
      const asked = facts.entries('act').findLast((entry) => entry.act === act)?.index ?? index;
      // The request may have been received by now, and be waiting again.
      const resent = writes.findLast((write) => facts.invocationAt(write)?.function === 'manage')?.index;
      // A send that is already waiting is not changed, but its request is queued again.
      const isWaiting = facts.itemBefore(key, asked)?.state === reached || writes.some((write) => write.index > asked);
      const since = resent ?? (isWaiting ? asked : index);
      return facts
        .entries('queued')
        .some(
          (entry) =>
            entry.index > since &&
            entry.index < index &&
            entry.queue === 'send' &&
            entry.body.includes(`"${act.requestId}"`) &&
            facts.invocationAt(entry)?.function === 'manage',
        );
    }
    case 'stop':
    case 'resume': {
      // A later act can come first, and then this one changes nothing.
      const asked = new Date(act.atMs).toISOString();
      return accountsBefore(facts, index).some(
        ({ after }) => String(after?.stoppedAt ?? after?.resumedAt ?? '') >= asked,
      );
    }
    case 'retry-now': {
      const asked = facts.entries('act').findLast((entry) => entry.act === act)?.index ?? index;
      const writes = accountsBefore(facts, index);
      const states = [
        writes.findLast((write) => write.index < asked),
        ...writes.filter((write) => write.index > asked),
      ];
      return states.some(
        (write) => write?.after?.circuit !== 'open' || String(write.after.nextProbeAt) <= new Date(atMs).toISOString(),
      );
    }
    case 'consent': {
      const at = new Date(act.atMs - act.agoMs).toISOString();
      const attribute = `${act.origin}Opt${act.consent === 'opt-in' ? 'In' : 'Out'}At`;
      const suffix = `#${contactKey(act.contact)} CONSENT`;
      return before.some(
        (entry) =>
          entry.kind === 'write' &&
          entry.key.endsWith(suffix) &&
          String(entry.after?.[attribute] ?? '') >= at.slice(0, 19),
      );
    }
    case 'erase': {
      const id = typeof body === 'object' && body !== null && 'erasureId' in body ? String(body.erasureId) : '';
      const isStarted = facts.itemBefore(`ERASURE#${id} ERASURE`, index) !== undefined;
      return id !== '' && isStarted && isQueued('erasures', (text) => text.includes(`"${id}"`));
    }
    case 'redrive': {
      const moved = typeof body === 'object' && body !== null && 'moved' in body ? Number(body.moved) : 0;
      if (moved === 0) return undefined;
      const requested = facts.entries('act').findLast((entry) => entry.act === act);
      return redrivenTo(facts, act.queue, requested?.atMs ?? 0, index) >= moved;
    }
    default:
      return undefined;
  }
};

const accountsBefore = (facts: StageFacts, index: number): readonly Recorded<'write'>[] =>
  facts.namesOf('ACCOUNT#').flatMap((name) => facts.writesOf(name).filter((write) => write.index < index));

/** SQS drops a message that an interrupted redrive already sent within this time. */
const DEDUPLICATION_MS = 5 * 60 * 1000;

/** Counts the dead letters that redrives put back on a queue before an entry of the ledger. */
const redrivenTo = (facts: StageFacts, queue: SendLane | 'inbound', sinceMs: number, until: number): number => {
  const fromMs = isSendLane(queue) ? sinceMs - DEDUPLICATION_MS : sinceMs;
  return facts
    .entries('queued')
    .filter(
      (entry) =>
        entry.index < until &&
        entry.queue === queue &&
        entry.atMs >= fromMs &&
        facts.invocationAt(entry)?.function === 'manage' &&
        wasDeadLetter(facts, entry),
    ).length;
};
