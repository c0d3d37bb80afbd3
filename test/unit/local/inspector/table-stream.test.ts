import { expect, it } from 'vitest';
import type { Item } from '../../../../lambdas/table/item.ts';
import { watchTable } from '../../../../local/inspector/table-stream.ts';
import { eventually } from '../../../support/eventually.ts';
import { fakeStreams } from '../event-sources/fake-streams.ts';

it('reports later writes after a failed read of the stream', async () => {
  const { client } = fakeStreams({ a: [['1'], new Error('socket hang up'), ['2'], 'open'] });
  const items: Item[] = [];

  using _watch = await watchTable(client, 'stream', (item) => items.push(item));

  await eventually(() => (items.length === 2 ? true : undefined));
  expect(items).toEqual([{ pk: '1' }, { pk: '2' }]);
});
