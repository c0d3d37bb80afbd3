import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalClient, type LocalClient } from '../../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../../local/cloud/local-cloud.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import { startTestCloud } from '../../support/test-cloud.ts';

const arn = (service: string, resource: string) => `arn:aws:${service}:eu-west-1:111122223333:${resource}`;

let cloud: LocalCloud;
let client: LocalClient;
const warnings: string[] = [];

beforeAll(async () => {
  cloud = await startTestCloud({
    warn: (message) => warnings.push(message),
    settings: {
      existing: {
        tableArn: arn('dynamodb', 'table/messaging'),
        tableStreamArn: arn('dynamodb', 'table/messaging/stream/2026-11-20T12:00:00.000'),
        eventBusArn: arn('events', 'event-bus/company'),
        keyArn: arn('kms', 'key/1234abcd-12ab-34cd-56ef-1234567890ab'),
      },
      vpc: { vpcId: 'vpc-0a1b2c3d4e5f60718', subnetIds: ['subnet-0a1b2c3d4e5f60718'] },
      domainName: {
        name: 'chat-events.bank.example',
        certificateArn: arn('acm', 'certificate/1234abcd-12ab-34cd-56ef-1234567890ab'),
        hostedZoneId: 'Z0123456789ABC',
      },
    },
  });
  client = createLocalClient(cloud);
});
afterAll(async () => {
  client?.close();
  await cloud?.close();
});

describe('a stage with existing resources, a VPC, and a domain name', () => {
  it('runs locally with a table and a bus of its own, and says so', () => {
    expect(cloud.tableName).not.toBe('messaging');
    expect(cloud.eventBusName).toBe('Parley-dev');
    expect(warnings.map((warning) => warning.split(':')[0])).toEqual([
      'existing.tableArn',
      'existing.eventBusArn',
      'existing.keyArn',
      'vpc',
      'domainName',
    ]);
  });

  it('receives at its local URL', async () => {
    expect(cloud.webhookUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/webhook$/);
    const id = await client.userWrites('+5491155550077', { text: 'Where is my parcel?' });

    await waitFor('the message is stored', async () => (await client.table())[`MESSAGE#${id} MESSAGE`]);
  });
});
