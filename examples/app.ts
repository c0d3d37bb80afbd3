/**
 * A CDK app with Parley and the constructs of the examples.
 *
 *   npx cdk deploy --all --app "node examples/app.ts" -c stage=dev
 *
 * The settings of the stage are in cdk.json, as for Parley alone. In your own app, install `parley`, `aws-cdk-lib`,
 * and `constructs`, and pass the settings as an object if you prefer that to cdk.json.
 */

import { ParleyStack, readStageSettings } from '@parleyhq/parley';
import { App, Stack } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Bot } from './consumers/bot/bot.ts';
import { EventConsumer } from './consumers/queue/event-consumer.ts';
import { ShipmentMessages } from './producers/eventbridge-rule.ts';
import { ShipmentProcess } from './producers/step-functions-task.ts';

const app = new App();
const { name, settings } = readStageSettings({
  stages: app.node.tryGetContext('stages'),
  stage: app.node.tryGetContext('stage'),
});
const parley = new ParleyStack(app, `Parley-${name}`, { settings });

const examples = new Stack(app, `ParleyExamples-${name}`);
const { sendQueue } = parley.sender;
const orders = new EventBus(examples, 'Orders');
new ShipmentMessages(examples, 'ShipmentMessages', { eventBus: orders, sendQueue });
new ShipmentProcess(examples, 'ShipmentProcess', { sendQueue, managementApi: parley.management.api });

const { eventBus } = parley.publisher;
new EventConsumer(examples, 'EventConsumer', { eventBus });
new Bot(examples, 'Bot', { eventBus, sendQueue, management: parley.management });
app.synth();
