import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';

const client = new DynamoDBClient({});

/** Makes one conditionless write: what a cold start costs with an SDK client, its connection, and nothing else. */
export const handler = async (): Promise<{ readonly statusCode: number }> => {
  await client.send(
    new UpdateItemCommand({
      TableName: process.env.TABLE_NAME,
      Key: { pk: { S: 'ONE-CLIENT' }, sk: { S: 'ONE-CLIENT' } },
      UpdateExpression: 'SET lastInboundAt = :at',
      ExpressionAttributeValues: { ':at': { S: new Date().toISOString() } },
    }),
  );
  return { statusCode: 200 };
};
