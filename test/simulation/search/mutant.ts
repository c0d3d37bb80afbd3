import type { ItemUpdate } from '../../../lambdas/adapters/dynamodb/item-update.ts';
import type { Fault } from '../world/faults.ts';
import type { Mutation } from '../world/send-process.ts';
import type { InvariantName } from './invariants.ts';
import type { ScenarioName } from './scenarios.ts';

/** A function that is broken on purpose. The search must find that it breaks the invariant. */
export interface Mutant {
  readonly breaks: string;
  readonly scenario: ScenarioName;
  readonly maxFaults: number;
  /** The faults to search with. @default all of them */
  readonly allowedFaults?: readonly Fault[];
  readonly invariant: InvariantName;
  /** Called for each process. */
  readonly create: () => Mutation;
}

/** Changes or suppresses updates of the table. */
export const updating = (change: (update: ItemUpdate) => ItemUpdate | undefined): Mutation => ({
  table: (table) => ({
    async update(update, options) {
      const changed = change(update);
      return changed
        ? table.update(changed, options)
        : { kind: 'written', item: (await table.get(update.key)) ?? update.set };
    },
  }),
});

export const isClaim = ({ set = {} }: ItemUpdate): boolean => set.state === 'claimed';
