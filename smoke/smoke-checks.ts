import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { eventually, NotYet } from './eventually.ts';
import { SmokeError } from './smoke-options.ts';
import type { SmokeStage } from './smoke-stage.ts';

type Item = Readonly<Record<string, unknown>>;

/** Reads an item of the table. Returns undefined if there is none. */
export const findItem = async ({ target }: SmokeStage, pk: string, sk: string): Promise<Item | undefined> => {
  const { dynamodb, tables } = await target.stores();
  const Key = { pk: { S: pk }, sk: { S: sk } };
  const { Item } = await dynamodb.send(new GetItemCommand({ TableName: tables[0], Key, ConsistentRead: true }));
  return Item && unmarshall(Item);
};

/** Waits until the table has an item, and reads it. */
export const itemOf = async (
  stage: SmokeStage,
  pk: string,
  sk: string,
  isReady: (item: Item) => boolean,
): Promise<Item> =>
  eventually(`the table has ${pk}`, stage.patienceMs, async () => {
    const item = await findItem(stage, pk, sk);
    if (item === undefined) return new NotYet('no such item');
    return isReady(item) ? item : new NotYet(`the item without the change: ${Object.keys(item).join(', ')}`);
  });

/** @throws SmokeError that says what was expected and what was seen */
export const expect = (holds: boolean, expected: string, seen: unknown): void => {
  if (!holds) throw new SmokeError(`Expected: ${expected}. Seen: ${seen}.`);
};

/** What the user writes. */
export const textOf = (id: string): string => `smoke test ${id}`;

/** The fields that every event of the user has. */
export const partsOf = ({ settings, now }: SmokeStage, user: string) => ({
  CHAT_PLATFORM_ID: settings.chatPlatform,
  CREATION_TIME: now().toISOString(),
  FROM: user,
});
