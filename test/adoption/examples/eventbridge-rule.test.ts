import { CfnOutput } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ShipmentMessages } from '../../../examples/producers/eventbridge-rule.ts';
import { createLocalClient, type LocalClient } from '../../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../../local/cloud/local-cloud.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import { startTestCloud } from '../../support/test-cloud.ts';
import { type ExampleStack, startExampleStack } from './example-stack.ts';
import { runPipe } from './run-pipe.ts';

// The local run creates the bus, the rule, and the queues. The test runs the pipe from its properties in the template.

const CONTACT = '+5491155600001';

let cloud: LocalCloud;
let client: LocalClient;
let stack: ExampleStack;

beforeAll(async () => {
  cloud = await startTestCloud();
  client = createLocalClient(cloud);
  await client.putRule('order_shipped', { text: 'Your order {{order}} is on its way.', category: 'shipping-status' });
  const id = await client.userWrites(CONTACT, { text: 'Hi' });
  await waitFor('the message is stored', async () => (await client.table())[`MESSAGE#${id} MESSAGE`]);
  stack = await startExampleStack(cloud, (scope, { sendQueue }) => {
    const eventBus = new EventBus(scope, 'Orders', { eventBusName: 'orders' });
    const { pipe } = new ShipmentMessages(scope, 'ShipmentMessages', { eventBus, sendQueue });
    new CfnOutput(scope, 'PipeSource', { value: pipe.source });
    new CfnOutput(scope, 'PipeTarget', { value: pipe.target });
  });
});
afterAll(async () => {
  client?.close();
  await stack?.[Symbol.asyncDispose]();
  await cloud?.close();
});

const publish = async (detailType: string, shipment: object): Promise<void> => {
  const { buses } = cloud.emulators;
  const Detail = JSON.stringify({ phone: CONTACT, orderNumber: '1042 "express"', ...shipment });
  buses.put({ Source: 'shop.orders', DetailType: detailType, Detail, EventBusName: 'orders' });
  await buses.delivered();
};
const runPipeOnce = () => {
  const { sqs, queueBaseUrl } = cloud.emulators;
  const urlOf = (arn: string | undefined) => `${queueBaseUrl}/${arn?.split(':').at(-1)}`;
  const queues = { sqs, sourceUrl: urlOf(stack.outputs.PipeSource), targetUrl: urlOf(stack.outputs.PipeTarget) };
  const pipe = Object.values(stack.template.Resources).find(({ Type }) => Type === 'AWS::Pipes::Pipe');
  return runPipe(pipe?.Properties, queues);
};
const accepted = (requestId: string) =>
  waitFor(`${requestId} is accepted`, async () => {
    const { state } = (await client.table())[`SEND#${requestId} SEND`] ?? {};
    return state === 'accepted' ? state : undefined;
  });

it('sends one message for an event, even if the event is published twice, within five minutes and later', async () => {
  await publish('OrderShipped', { shipmentId: 'shipment-1042' });
  await publish('OrderShipped', { shipmentId: 'shipment-1042' });
  const sent = await runPipeOnce();
  expect(sent).toHaveLength(2);
  expect(sent[0]).toMatchObject({ groupId: CONTACT, deduplicationId: 'shipment-1042' });
  await accepted('shipment-1042');

  await client.advanceClock(301);
  await publish('OrderShipped', { shipmentId: 'shipment-1042' });
  expect(await runPipeOnce()).toHaveLength(1);
  await publish('OrderShipped', { shipmentId: 'shipment-1043' });
  expect(await runPipeOnce()).toHaveLength(1);
  await accepted('shipment-1043');

  const outbox = (await client.outbox()).filter(({ body }) => body.platformContactId === CONTACT);
  expect(outbox).toHaveLength(2);
  expect(outbox[0]?.body).toMatchObject({ params: { order: '1042 "express"' } });
  expect(await client.queueDepth(cloud.sendDeadLetterQueueUrl)).toBe(0);
});

it('ignores other events of the bus', async () => {
  await publish('OrderCancelled', { shipmentId: 'shipment-1044' });
  expect(await runPipeOnce()).toEqual([]);
});
