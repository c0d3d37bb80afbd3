import { BatchWriteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { LocalCloud } from '../../local/cloud/local-cloud.ts';

const DAY_MS = 24 * 60 * 60_000;
const SLOTS = 288;
/** The most that one call writes. */
const DAYS = 24;

/**
 * Stores the history of the channel of messages that name no business number, in a local run: users wrote every five
 * minutes of the past weeks, until now.
 */
export const seedChannel = async (cloud: LocalCloud): Promise<void> => {
  const now = cloud.clock.now().getTime();
  const pk = 'CHANNEL#chat#*';
  const firstSeenAt = new Date(now - DAYS * DAY_MS).toISOString();
  const channel = { pk, sk: 'CHANNEL', platform: 'chat', line: '*', firstSeenAt };
  const days = Array.from({ length: DAYS }, (_, daysAgo) => {
    const day = new Date(now - daysAgo * DAY_MS).toISOString().slice(0, 10);
    const startMs = Date.parse(day);
    const slots = Array.from({ length: SLOTS }, (_, slot) => slot).filter((slot) => startMs + slot * 300_000 <= now);
    const expiresAt = startMs / 1000 + (42 * DAY_MS) / 1000;
    return { pk, sk: `DAY#${day}`, slots: new Set(slots.map((slot) => slot.toString(36))), expiresAt };
  });
  const items = [{ ...channel, stateShard: 'channel', stateAt: firstSeenAt }, ...days];
  const { AWS_ENDPOINT_URL_DYNAMODB: endpoint, AWS_REGION: region } = cloud.env;
  const client = new DynamoDBClient({
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  try {
    const requests = items.map((item) => ({ PutRequest: { Item: marshall(item) } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [cloud.tableName]: requests } }));
  } finally {
    client.destroy();
  }
};
