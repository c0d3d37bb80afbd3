import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Scenario, startWiredFunctions, type Variables, type WiredFunctions } from './wired-function.ts';

/** A value of a variable, and what is in the outcome with it and not with the other value. */
export type Shown = readonly [value: string | undefined, ...shows: string[]];

/** For each variable of a function: what happens, and two values with which the function then does different things. */
export type Wiring<Environment> = {
  readonly [Name in keyof Environment]: readonly [given: Scenario, one: Shown, other: Shown];
};

/** Starts the functions for the tests of a `describe` block, and returns how to run one. */
export const startedFunctions = (): WiredFunctions['run'] => {
  let functions: WiredFunctions;
  beforeAll(async () => {
    functions = await startWiredFunctions();
  });
  afterAll(() => functions.close());
  return (...run) => functions.run(...run);
};

/** Checks that each variable reaches what it is for. */
export const describeWiring = <Environment>(
  service: Parameters<WiredFunctions['run']>[0],
  usual: { readonly [Name in keyof Environment]: string | undefined },
  wiring: Wiring<Environment>,
): void => {
  describe(`the entry of ${service}`, () => {
    const run = startedFunctions();

    const rows = Object.entries<Wiring<Environment>[keyof Environment]>(wiring);
    it.each(rows)('wires %s', async (name, [scenario, one, other]) => {
      const outcomeOf = async ([value]: Shown) => {
        const variables: Variables = { ...usual, ...scenario.variables, [name]: value };
        return (await run(service, variables, { ...scenario, variables: {} })).join('\n');
      };
      const [outcome, otherOutcome] = [await outcomeOf(one), await outcomeOf(other)];

      const [, ...shown] = one;
      const [, ...otherShown] = other;
      expect(shown.length + otherShown.length).toBeGreaterThan(0);
      for (const text of shown) {
        expect(outcome).toContain(text);
        expect(otherOutcome).not.toContain(text);
      }
      for (const text of otherShown) {
        expect(otherOutcome).toContain(text);
        expect(outcome).not.toContain(text);
      }
    });
  });
};
