import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONSENT_KINDS, CONSENT_ORIGINS, type Consent, consentVerdict } from '../../../../lambdas/domain/consent.ts';
import { DamagedItemError } from '../../../../lambdas/domain/errors.ts';
import { consentRegister, readConsents } from '../../../../lambdas/table/consent-item.ts';
import { optIn, optOut } from '../../../support/builders.ts';

const at = (minute: number) => `2026-11-20T10:${String(minute).padStart(2, '0')}:00.000Z`;
const imported = { origin: 'import' as const, source: 'list' };

/** Few times, so that ties are frequent. */
const consent: fc.Arbitrary<Consent> = fc.record({
  kind: fc.constantFrom(...CONSENT_KINDS),
  origin: fc.constantFrom(...CONSENT_ORIGINS),
  at: fc.integer({ min: 0, max: 5 }).map(at),
  source: fc.constant('form'),
});
const consents = fc.array(consent, { maxLength: 8 });

const latestOf = (given: readonly Consent[], origin: Consent['origin'], kind: Consent['kind']) =>
  given
    .filter((one) => one.origin === origin && one.kind === kind)
    .map((one) => one.at)
    .toSorted()
    .at(-1);

/** What the table keeps of any number of consents. */
const kept = (given: readonly Consent[]): readonly Consent[] =>
  given.filter((one) => one.at === latestOf(given, one.origin, one.kind));

describe('the effective consent', () => {
  it.each([
    ['nothing', [], 'none'],
    ["the user's opt-in", [optIn(at(1))], 'opted-in'],
    ["an import's opt-in", [optIn(at(1), imported)], 'opted-in'],
    ["the user's opt-out", [optOut(at(1))], 'opted-out'],
    ["an import's opt-out", [optOut(at(1), imported)], 'opted-out'],
    ["the user's opt-in after the user's opt-out", [optOut(at(1)), optIn(at(2))], 'opted-in'],
    ["an import's opt-in after the user's opt-out", [optOut(at(1)), optIn(at(2), imported)], 'opted-out'],
    ["an import's opt-in after an import's opt-out", [optOut(at(1), imported), optIn(at(2), imported)], 'opted-in'],
    ["the user's opt-in after an import's opt-out", [optOut(at(1), imported), optIn(at(2))], 'opted-in'],
    ["an import's opt-out after the user's opt-in", [optIn(at(1)), optOut(at(2), imported)], 'opted-out'],
    ['an opt-in and an opt-out of the same time', [optIn(at(1)), optOut(at(1))], 'opted-out'],
    [
      "an import's opt-out that an import took back, after the user's own opt-out",
      [optOut(at(1)), optOut(at(2), imported), optIn(at(3), imported)],
      'opted-out',
    ],
  ])('of %s', (_case, given, state) => {
    expect(consentVerdict(given)).toMatchObject({ state });
  });

  it("stays opted out after a START that is late and seems later, because the chat service's clock is ahead", () => {
    const stop = optOut(at(5), { messageId: 'stop', ownAt: at(15) });
    const start = optIn(at(10), { messageId: 'start', ownAt: at(10) });

    expect(consentVerdict([stop, start])).toMatchObject({ state: 'opted-out' });
    expect(consentVerdict([stop, { ...start, at: at(12), ownAt: at(22) }])).toMatchObject({ state: 'opted-in' });
  });

  it('compares a keyword with a consent that was given otherwise by the times at which they count', () => {
    const stop = optOut(at(5), { messageId: 'stop', ownAt: at(15) });
    expect(consentVerdict([stop, optIn(at(7))])).toMatchObject({ state: 'opted-in' });

    const start = optIn(at(5), { messageId: 'start', ownAt: at(15) });
    expect(consentVerdict([start, optOut(at(7))])).toMatchObject({ state: 'opted-out' });
  });

  it('does not let a START that states a time far ahead override a later STOP', () => {
    const start = optIn(at(5), { messageId: 'start', ownAt: '2099-01-01T00:00:00.000Z' });
    const stop = optOut(at(7), { messageId: 'stop', ownAt: at(7) });

    expect(consentVerdict([start, stop])).toMatchObject({ state: 'opted-out' });
  });

  it('stays opted out if an import opts the user in 24 ms after the opt-out', () => {
    const given = [optOut('2026-11-20T10:00:00.000Z'), optIn('2026-11-20T10:00:00.024Z', imported)];

    expect(consentVerdict(given)).toEqual({ state: 'opted-out', at: given[0]?.at, origin: 'user', source: 'form' });
  });

  it('names the latest opt-out that is not overridden', () => {
    const given = [optOut(at(1)), optOut(at(3), imported)];

    expect(consentVerdict(given)).toMatchObject({ at: at(3), origin: 'import' });
  });

  it('does not depend on the order of the consents, nor on earlier ones of the same kind and origin', () => {
    const shuffled = consents.chain((given) =>
      fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length })),
    );
    fc.assert(
      fc.property(shuffled, ([given, other]) => {
        expect(consentVerdict(other)).toEqual(consentVerdict(given));
        expect(consentVerdict(kept(given))).toEqual(consentVerdict(given));
      }),
      { numRuns: 2_000 },
    );
  });

  it('stays opted out after any import if the user opted out, whatever the times', () => {
    const imports = fc.array(
      consent.map((one): Consent => ({ ...one, origin: 'import' })),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(consents, imports, (given, further) => {
        const optedOutAt = latestOf(given, 'user', 'opt-out');
        const optedInAt = latestOf(given, 'user', 'opt-in');
        fc.pre(optedOutAt !== undefined && (optedInAt === undefined || optedInAt <= optedOutAt));

        expect(consentVerdict([...given, ...further]).state).toBe('opted-out');
      }),
      { numRuns: 5_000 },
    );
  });

  it("is opted in after the user's own opt-in that is later than every opt-out", () => {
    fc.assert(
      fc.property(consents, (given) => {
        expect(consentVerdict([...given, optIn(at(59))]).state).toBe('opted-in');
      }),
    );
  });
});

describe('the registers of an item', () => {
  const names = consentRegister({ kind: 'opt-out', origin: 'user' });

  it('hold the latest consent of each kind and origin', () => {
    const item = { pk: 'CONTACT#1', [names.at]: at(1), [names.source]: 'call', [names.recordedAt]: at(2) };

    expect(names).toMatchObject({ at: 'userOptOutAt', source: 'userOptOutSource', recordedAt: 'userOptOutRecordedAt' });
    expect(readConsents(item)).toEqual([optOut(at(1), { source: 'call' })]);
    expect(readConsents({ pk: 'CONTACT#1' })).toEqual([]);
  });

  it.each([
    ['a time that is not a time', { [names.at]: 'yesterday', [names.source]: 'call' }],
    ['a number as a time', { [names.at]: 1, [names.source]: 'call' }],
    ['no source', { [names.at]: at(1) }],
  ])('are damaged by %s, so that no opt-out is overlooked', (_case, item) => {
    expect(() => readConsents(item)).toThrow(DamagedItemError);
  });
});
