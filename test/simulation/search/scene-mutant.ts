import type { ItemUpdate } from '../../../lambdas/adapters/dynamodb/item-update.ts';
import type { ConversationTable } from '../../../lambdas/adapters/dynamodb/table.ts';
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

/** Changes or suppresses updates of the table by a function. */
export const updating = (
  name: 'manage' | 'receive' | 'send',
  change: (update: ItemUpdate) => ItemUpdate | undefined,
): SceneMutation => ({
  [name]: {
    table: (table: ConversationTable): Partial<ConversationTable> => ({
      async update(update, options) {
        const changed = change(update);
        return changed
          ? table.update(changed, options)
          : { kind: 'written', item: (await table.get(update.key)) ?? update.set };
      },
    }),
  },
});

/** Changes the webhook events before they are stored. */
export const rewriting = (
  change: (event: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): SceneMutation => ({
  receive: {
    storeEvents: (storeEvents) => (request) => {
      const event: unknown = JSON.parse(request.rawBody.toString());
      const changed = change(typeof event === 'object' && event !== null ? { ...event } : {});
      return storeEvents({ ...request, rawBody: Buffer.from(JSON.stringify(changed)) });
    },
  },
});

/** Returns the update without its condition, and without names and values that only the condition uses. */
export const withoutCondition = ({ condition, values, ...update }: ItemUpdate): ItemUpdate => update;

export const isClaim = ({ set = {} }: ItemUpdate): boolean => set.state === 'claimed';
