import type { ItemUpdate } from '../../../lambdas/adapters/dynamodb/item-update.ts';
import type { Fault } from '../world/faults.ts';
import type { ReceiveMutation } from '../world/receive-process.ts';
import type { ReceivingInvariantName } from './receiving-invariants.ts';
import type { ReceivingScenarioName } from './receiving-scenarios.ts';

/** A function that is broken on purpose. The search must find that it breaks the invariant. */
export interface ReceivingMutant {
  readonly breaks: string;
  readonly scenario: ReceivingScenarioName;
  readonly maxFaults: number;
  /** The faults to search with. @default all of them */
  readonly allowedFaults?: readonly Fault[];
  readonly invariant: ReceivingInvariantName;
  /** Called for each process. */
  readonly create: () => ReceiveMutation;
}

/** Changes updates of the table. */
export const updating = (change: (update: ItemUpdate) => ItemUpdate): ReceiveMutation => ({
  table: (table) => ({ update: (update, options) => table.update(change(update), options) }),
});

/** Changes the events of the requests before they are stored. */
export const rewriting = (
  change: (event: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): ReceiveMutation => ({
  storeEvents: (storeEvents) => (request) => {
    const event: unknown = JSON.parse(request.rawBody.toString());
    const changed = change(typeof event === 'object' && event !== null ? { ...event } : {});
    return storeEvents({ ...request, rawBody: Buffer.from(JSON.stringify(changed)) });
  },
});

/** Returns the update without its condition, and without names and values that only the condition uses. */
export const withoutCondition = ({ condition, names, values, ...update }: ItemUpdate): ItemUpdate => update;
