import fc from 'fast-check';
import { expect, it } from 'vitest';
import { consentVerdict } from '../../../lambdas/domain/consent.ts';
import { CONSENT_REGISTERS, readConsents } from '../../../lambdas/table/consent-item.ts';
import { effectiveConsent } from './invariants/effective-consent.ts';

const time = fc.option(
  fc.integer({ min: 0, max: 5 }).map((minute) => `2026-11-20T10:0${minute}:00.000Z`),
  { nil: undefined },
);
const item = fc
  .tuple(...CONSENT_REGISTERS.map((names) => fc.tuple(fc.constant(names), time, time)))
  .map((registers) =>
    Object.fromEntries(
      registers.flatMap(([names, at, ownAt]) =>
        at === undefined
          ? []
          : [
              [names.at, at],
              [names.source, 'form'],
              ...(ownAt === undefined || names.origin === 'import' ? [] : [[names.ownAt, ownAt]]),
            ],
      ),
    ),
  );

it('agrees with the effective consent of the functions', () => {
  fc.assert(
    fc.property(item, (stored) => {
      const verdict = consentVerdict(readConsents(stored));
      expect(effectiveConsent(stored) ?? { state: 'none' }).toMatchObject({
        state: verdict.state,
        ...(verdict.state !== 'none' && { at: verdict.at, origin: verdict.origin }),
      });
    }),
    { numRuns: 5_000 },
  );
});
