import { expect, it } from 'vitest';
import { createDynamodbContacts } from '../../../../../lambdas/adapters/dynamodb/contacts.ts';
import { type Consent, type ConsentKind, consentVerdict } from '../../../../../lambdas/domain/consent.ts';
import { contactRef } from '../../../../../lambdas/domain/contact.ts';
import { optIn, optOut, USER } from '../../../../support/builders.ts';
import { simulatedTables } from '../../../../support/contract-tables.ts';

const contact = contactRef('chat', USER);
const NUMBERS = [1, 2, 3, 4] as const;
const MAX_STEPS = 4;

/** A keyword, by the number of its own time, or an opt-out that an internal system reports. */
type Step = { readonly kind: ConsentKind; readonly own: number } | 'form';

const KEYWORDS: readonly Step[] = NUMBERS.flatMap((own) => [
  { kind: 'opt-out', own } as const,
  { kind: 'opt-in', own } as const,
]);

/** Returns all sequences of up to four steps, also with repeated ones: every order of every choice. */
const sequencesOf = <Each>(steps: readonly Each[], length = MAX_STEPS): readonly (readonly Each[])[] => {
  if (length === 0) return [[]];
  const shorter = sequencesOf(steps, length - 1);
  return [
    ...shorter,
    ...shorter.filter((one) => one.length === length - 1).flatMap((one) => steps.map((step) => [...one, step])),
  ];
};

const minute = (number: number): string => `2026-11-20T10:${String(number).padStart(2, '0')}:00.000Z`;

/** A message has the same ID and times whenever its event arrives. */
const keyword = ({ kind, own }: Exclude<Step, 'form'>, atMinute: number, ownMinute: number): Consent => {
  const times = { messageId: `${kind} ${own}`, ownAt: minute(ownMinute), source: `keyword ${kind}` };
  return kind === 'opt-in' ? optIn(minute(atMinute), times) : optOut(minute(atMinute), times);
};

const record = async (consents: readonly Consent[]) => {
  const tables = simulatedTables();
  const name = await tables.createTable();
  const contacts = createDynamodbContacts(tables.tableOf(name), { readsHandovers: false });
  for (const consent of consents) await contacts.recordConsent(contact, consent);
  return { items: await tables.items(name), state: consentVerdict(await contacts.readConsents(contact)).state };
};

const latest = (numbers: readonly number[]): number => Math.max(0, ...numbers);

it("the latest keyword counts, whatever the order of arrival, if the chat service's clock is not ahead", async () => {
  for (const steps of sequencesOf(KEYWORDS)) {
    const keywords = steps.filter((step) => step !== 'form');
    const timesOf = (kind: ConsentKind) => keywords.filter((one) => one.kind === kind).map(({ own }) => own);
    const [start, stop] = [latest(timesOf('opt-in')), latest(timesOf('opt-out'))];

    const { state } = await record(keywords.map((one) => keyword(one, one.own, one.own)));

    const expected = keywords.length === 0 ? 'none' : start > stop ? 'opted-in' : 'opted-out';
    expect([steps, state]).toEqual([steps, expected]);
  }
});

it('a START that the user wrote before the latest STOP never ends the opt-out, in any order of arrival', async () => {
  for (const steps of sequencesOf<Step>([...KEYWORDS, 'form'])) {
    // The clock is ahead by more than events are late, so each counts as of its first arrival.
    const arrivals = steps.map((step, index) => ({ step, at: Math.min(index, steps.indexOf(step)) + 1 }));
    const consents = arrivals.map(({ step, at }, index) =>
      step === 'form' ? optOut(minute(index + 1)) : keyword(step, at, 20 + step.own),
    );

    const { items, state } = await record(consents);

    const optOuts = consents.filter(({ kind }) => kind === 'opt-out');
    const start = consents
      .filter(({ kind }) => kind === 'opt-in')
      .toSorted((one, other) => (one.at < other.at ? -1 : 1))
      .at(-1);
    const isOverriding =
      start !== undefined && optOuts.every(({ at, ownAt = '' }) => start.at > at && String(start.ownAt) > ownAt);
    const expected = consents.length === 0 ? 'none' : isOverriding ? 'opted-in' : 'opted-out';
    expect([steps, state]).toEqual([steps, expected]);
    expect([steps, (await record(consents.toReversed())).items]).toEqual([steps, items]);
  }
});
