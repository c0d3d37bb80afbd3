import { isInBroadcast, LISTED_STATES } from '../../../../lambdas/domain/send-index.ts';
import { SEND_STATES, type SendState } from '../../../../lambdas/domain/send-transitions.ts';
import { broadcastSort, stateSort, timeOfState } from '../../../../lambdas/table/indexes.ts';
import type { Item } from '../../../../lambdas/table/item.ts';
import type { StageInvariant } from './stage-invariant.ts';

export const LIST_INVARIANTS = {
  listsAreTrue: {
    sentence:
      'At the end, the list of each state and of each broadcast has exactly its sends, except that an erasure removes a ' +
      'send from the list of its state.',
    check(facts, { checked, violated }) {
      const sends = [...facts.run.items].filter(([name, { state }]) => name.startsWith('SEND#') && state !== undefined);
      for (const state of SEND_STATES) {
        const listed = sends.filter(([, { stateShard }]) => listOf(stateShard) === state);
        const inState = isListed(state) ? sends.filter(([, item]) => item.state === state) : [];
        // An erased send leaves the list, and returns to one if an operator resolves it.
        const expected = inState.filter(([name, item]) => !item.erasedAt || listed.some(([other]) => other === name));
        compare(state, listed, expected, (item) => item.stateAt === stateSort(entryOf(item, state)));
      }
      for (const broadcastId of new Set(sends.flatMap(([, item]) => item.broadcastId ?? []))) {
        const listed = sends.filter(
          ([, item]) => listOf(item.broadcastShard) === broadcastId && item.broadcastState !== undefined,
        );
        const expected = sends.filter(([, item]) => item.broadcastId === broadcastId && isInBroadcast(stateOf(item)));
        compare(`broadcast ${String(broadcastId)}`, listed, expected, (item) => {
          const state = stateOf(item);
          return item.broadcastState === broadcastSort(state, entryOf(item, state));
        });
      }

      function compare(list: string, listed: Named, expected: Named, isInPlace: (item: Item) => boolean) {
        for (const [name] of expected) {
          checked();
          if (!listed.some(([other]) => other === name)) violated(`${name} is missing from the list of ${list}.`);
        }
        for (const [name, item] of listed) {
          if (!expected.some(([other]) => other === name))
            violated(`${name} is in the list of ${list}, where it is not.`);
          else if (!isInPlace(item)) violated(`${name} is in the list of ${list} under a wrong key.`);
        }
      }
    },
  },
} as const satisfies Record<string, StageInvariant>;

type Named = readonly (readonly [name: string, item: Item])[];

const isListed = (state: SendState): boolean => LISTED_STATES.some((listed) => listed === state);

/** `uncertain#7` is a shard of the list of uncertain sends. */
const listOf = (shard: unknown): string | undefined =>
  typeof shard === 'string' ? shard.replace(/#\d+$/, '') : undefined;

const stateOf = (item: Item): SendState => SEND_STATES.find((state) => state === item.state) ?? 'claimed';

const entryOf = (item: Item, state: SendState) => ({
  at: String(item[timeOfState(state)]),
  ...(typeof item.code === 'string' && { code: item.code }),
});
