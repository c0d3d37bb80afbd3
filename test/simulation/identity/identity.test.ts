import { describe, expect, it } from 'vitest';
import { foundOn, readDefectPage } from '../stage/defects/defect-table.ts';
import { drawIdentityHistory } from './draw-identity.ts';
import { IDENTITY_DEFECTS } from './identity-defects.ts';
import { IDENTITY_INVARIANTS } from './identity-invariants.ts';
import { playIdentity } from './play-identity.ts';
import { simulateIdentities } from './simulate-identity.ts';

/** `npm run simulate:identity` plays 100,000. */
const SEEDS = 300;

describe('random histories of people with several addresses', () => {
  it('keep the invariants', async () => {
    const { seeds, failures, witnesses } = await simulateIdentities({ from: 1, seeds: SEEDS });

    expect(failures).toEqual([]);
    expect(seeds).toBe(SEEDS);
    expect(witnesses['a customer with several addresses']).toBeGreaterThan(SEEDS / 10);
  });

  it('are the same for the same seed', async () => {
    const [one, other] = [drawIdentityHistory(7), drawIdentityHistory(7)];

    expect(other).toEqual(one);
    expect(await playIdentity(other)).toEqual(await playIdentity(one));
  });
});

describe('functions that are broken on purpose', () => {
  const found = foundOn(readDefectPage()).identities;
  const seedOf = (name: string): number => Number(found.get(name)?.replaceAll(/\D/g, ''));

  it.each(Object.entries(IDENTITY_DEFECTS))(
    'are noticed, and the same history holds without: %s',
    async (name, defect) => {
      const history = drawIdentityHistory(seedOf(name));
      const violated = async (createMutation?: typeof defect.create) =>
        (await playIdentity(history, createMutation)).violations.map(({ invariant }) => invariant);

      expect(await violated(defect.create)).toContain(defect.invariant);
      expect(await violated()).not.toContain(defect.invariant);
    },
  );

  it('there is one for every invariant', () => {
    const noticed = new Set<string>(Object.values(IDENTITY_DEFECTS).map(({ invariant }) => invariant));

    expect(Object.keys(IDENTITY_INVARIANTS).filter((name) => !noticed.has(name))).toEqual([]);
  });
});
