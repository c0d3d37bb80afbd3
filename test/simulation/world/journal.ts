import type { Item } from '../../../lambdas/table/item.ts';
import type { Effect, HttpAnswer } from './chat-service.ts';
import type { ItemWrite } from './table.ts';

/** A claim, as its write showed it. */
export interface JournalClaim {
  readonly claimId: string;
  readonly requestId: string;
  readonly process: string;
  readonly at: number;
  /** The contact whenever the process had read it, oldest first, and when it claimed the send. */
  readonly contactsWhenRead: readonly (Item | undefined)[];
  readonly contactWhenClaimed: Item | undefined;
  /** The process died, or was suspended until the lease had expired, after the claim and before it had a result. */
  isBroken: boolean;
}

/** What a call to a sending endpoint came to. */
export type CallEnd = 'accepted' | 'window-closed' | 'not-done' | 'rejected';

export interface JournalCall {
  readonly requestId: string;
  readonly process: string;
  /** Undefined for a call without a claim. */
  readonly claim: JournalClaim | undefined;
  readonly endpoint: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly at: number;
  readonly effect: Effect | undefined;
  readonly end: CallEnd;
  /** Whether the process received a response that shows the outcome. */
  readonly isAnswered: boolean;
}

/** What happened in a run, as far as the invariants need it. */
export interface Journal {
  readonly calls: readonly JournalCall[];
  readonly claims: readonly JournalClaim[];
  /** @param name the contact's partition key */
  readContact(process: string, name: string, contact: Item | undefined): void;
  /** @param contact the request's contact, as it is stored now */
  wrote(process: string, write: ItemWrite, at: number, contact: Item | undefined): void;
  called(call: Omit<JournalCall, 'claim' | 'requestId' | 'end'>, answer: HttpAnswer | undefined): JournalCall;
  broke(process: string, isRecorded: (claim: JournalClaim) => boolean): void;
  /** Identifies everything that the invariants may ask for later. */
  key(): string;
}

export const createJournal = (): Journal => {
  const calls: JournalCall[] = [];
  const claims: JournalClaim[] = [];
  let callsKey = '';
  const contactsRead = new Map<string, readonly (Item | undefined)[]>();

  return {
    calls,
    claims,
    readContact(process, name, contact) {
      const key = `${process} ${name}`;
      contactsRead.set(key, [...(contactsRead.get(key) ?? []), contact]);
    },
    wrote(process, { before, after }, at, contactWhenClaimed) {
      if (typeof after?.claimId !== 'string' || after.claimId === before?.claimId) return;
      const requestId = String(after.pk).replace('SEND#', '');
      const contactsWhenRead = contactsRead.get(`${process} ${String(after.contact)}`) ?? [];
      const { claimId } = after;
      claims.push({ claimId, requestId, process, at, contactsWhenRead, contactWhenClaimed, isBroken: false });
      callsKey += `claim ${claimId} ${at} ${contactsWhenRead.map(consentOf)} ${consentOf(contactWhenClaimed)};`;
    },
    called(call, answer) {
      const requestId = requestIdIn(call.body);
      const claim = claims.findLast((one) => one.process === call.process && one.requestId === requestId);
      const recorded = { ...call, requestId, claim, end: endOf(call.effect, answer) };
      calls.push(recorded);
      const { process, endpoint, end, isAnswered, effect } = recorded;
      callsKey += `call ${process} ${requestId} ${claim?.claimId} ${endpoint} ${end} ${isAnswered} ${effect?.id} ${call.at};`;
      return recorded;
    },
    broke(process, isRecorded) {
      for (const read of contactsRead.keys()) if (read.startsWith(`${process} `)) contactsRead.delete(read);
      for (const claim of claims) if (claim.process === process && !isRecorded(claim)) claim.isBroken = true;
    },
    key: () =>
      [
        callsKey,
        claims.map(({ isBroken }) => isBroken).join(),
        [...contactsRead]
          .map(([process, contacts]) => `${process} ${contacts.map(consentOf)}`)
          .toSorted()
          .join(),
      ].join('|'),
  };
};

/** The texts and template parameters of a scenario name their request. */
export const requestIdIn = (body: unknown): string =>
  /request-\w+|opt-out-[\w-]+/.exec(JSON.stringify(body))?.[0] ?? 'none';

export const endOf = (effect: Effect | undefined, answer: HttpAnswer | undefined): CallEnd => {
  if (effect) return 'accepted';
  const text = JSON.stringify(answer?.body ?? {});
  if (text.includes('"code":201')) return 'window-closed';
  return text.includes('"problems":{') ? 'rejected' : 'not-done';
};

const consentOf = (contact: Item | undefined): string =>
  `${contact?.userOptInAt} ${contact?.importOptInAt} ${contact?.userOptOutAt} ${contact?.lastInboundAt}`;
