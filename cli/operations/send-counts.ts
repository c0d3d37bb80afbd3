import type { z } from 'zod';
import { sendCountsResponse } from '../../lambdas/manage/api/send-lists.ts';
import type { ManagementClient } from './management-client.ts';

/** How many sends are in a state, with a code or without one. */
export type SendCount = z.output<typeof sendCountsResponse>['counts'][number];

/** Counts the sends of a broadcast or a state by state and code, in as many calls as it takes. The most frequent first. */
export const countSends = async (
  call: ManagementClient,
  filter: { readonly broadcast?: string; readonly state?: string; readonly code?: string; readonly since?: string },
): Promise<readonly SendCount[]> => {
  const counted = new Map<string, SendCount>();
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...filter, cursor })) if (value !== undefined) query.set(name, value);
    const page = sendCountsResponse.parse(await call('GET', `/v1/send-counts?${query}`));
    for (const { state, code, count } of page.counts) {
      const name = `${state} ${code ?? ''}`;
      const sum = (counted.get(name)?.count ?? 0) + count;
      counted.set(name, { state, ...(code !== undefined && { code }), count: sum });
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return [...counted.values()].toSorted((one, other) => other.count - one.count);
};

/** Describes counts in one line: `280 accepted, 80 refused (OPTED_OUT)`. */
export const describeCounts = (counts: readonly SendCount[]): string =>
  counts.map((each) => `${each.count} ${describeState(each)}`).join(', ');

export const describeState = ({ state, code }: Pick<SendCount, 'state' | 'code'>): string =>
  code === undefined ? state : `${state} (${code})`;

export const totalOf = (counts: readonly SendCount[]): number => counts.reduce((sum, { count }) => sum + count, 0);
