import type { ItemUpdate } from '../../../lambdas/adapters/dynamodb/item-update.ts';
import type { Fault } from '../world/faults.ts';
import type { ManageMutation } from '../world/manage-process.ts';
import type { SceneInvariantName } from './scene-invariants.ts';
import type { SceneMutation } from './scene-options.ts';
import type { SceneScenarioName } from './scene-scenarios.ts';

/** Functions that are broken on purpose. The search must find that they violate the invariant. */
export interface SceneMutant {
  readonly breaks: string;
  readonly scenario: SceneScenarioName;
  readonly maxFaults: number;
  /** The faults to search with. @default all of them */
  readonly allowedFaults?: readonly Fault[];
  readonly invariant: SceneInvariantName;
  /** Called for each process. */
  readonly create: () => SceneMutation;
}

/** Breaks ports of the function `manage`. */
export const managing = (ports: NonNullable<ManageMutation['ports']>): SceneMutation => ({ manage: { ports } });

/** Changes or suppresses updates of the table by the function `manage`. */
export const updating = (change: (update: ItemUpdate) => ItemUpdate | undefined): SceneMutation => ({
  manage: {
    table: (table) => ({
      async update(update, options) {
        const changed = change(update);
        return changed ? table.update(changed, options) : { kind: 'written', item: await table.get(update.key) };
      },
    }),
  },
});

/** Returns the update without its condition, and without names and values that only the condition uses. */
export const withoutCondition = ({ condition, names, values, ...update }: ItemUpdate): ItemUpdate => update;
