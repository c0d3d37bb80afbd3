import { describe, expect, it } from 'vitest';
import { drawIdentityHistory } from './draw-identity.ts';
import { IDENTITY_DEFECTS } from './identity-defects.ts';
import { IDENTITY_INVARIANTS } from './identity-invariants.ts';
import { playIdentity } from './play-identity.ts';
import { simulateIdentities } from './simulate-identity.ts';

/** `npm run simulate:identity` plays 100,000. */
const SEEDS = 500;

describe('random histories of people with several addresses', () => {
  it('keep the invariants', async () => {
    const { failures } = await simulateIdentities({ from: 1, seeds: SEEDS });
    expect(failures).toEqual([]);
  });
});
