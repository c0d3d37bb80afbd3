import { join } from 'node:path';
import { App, Stack, Validations } from 'aws-cdk-lib';
import { EventBus, type IEventBus } from 'aws-cdk-lib/aws-events';
import { Grant } from 'aws-cdk-lib/aws-iam';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { ParleyManagement } from '../../../lib/index.ts';
import { arnOf } from '../../../local/base/aws-environment.ts';
import { createRunFolder } from '../../../local/base/run-folder.ts';
import type { LocalCloud } from '../../../local/cloud/local-cloud.ts';
import { startStack } from '../../../local/stack/stack.ts';
import { readTemplate, type Template } from '../../../local/template/template.ts';

/** The parts of Parley that the constructs of the examples use. */
export interface ParleyParts {
  readonly eventBus: IEventBus;
  readonly sendQueue: IQueue;
  readonly management: Pick<ParleyManagement, 'url' | 'grantInvoke'>;
}

export interface ExampleStack extends AsyncDisposable {
  readonly outputs: Readonly<Record<string, string>>;
  /** The template with everything in it, also what the local run does not support. */
  readonly template: Template;
}

/** Resources that the local run does not support. A test runs them itself, from their properties in the template. */
const RUN_BY_TESTS = ['AWS::Pipes::Pipe', 'AWS::StepFunctions::StateMachine'];

/**
 * Synthesizes constructs in a stack of their own, as an app would, and runs that stack beside a local run of Parley: its
 * functions are bundled and run in their own processes, and its rules, queues, and tables are created in the emulators.
 *
 * @param edit Changes the template's JSON before it runs.
 */
export const startExampleStack = async (
  cloud: LocalCloud,
  build: (stack: Stack, parley: ParleyParts) => void,
  edit: (json: string) => string = (json) => json,
): Promise<ExampleStack> => {
  await using started = new AsyncDisposableStack();
  const { path: folder } = started.use(await createRunFolder());
  const outdir = join(folder, 'cdk.out');
  const app = new App({ outdir, context: { 'aws:cdk:enable-asset-metadata': true }, analyticsReporting: false });
  const stack = new Stack(app, 'Examples');
  Validations.of(stack).acknowledge({
    id: 'CloudFormation-Validate::F3031',
    reason: 'The region of the local run is not one of AWS.',
  });
  build(stack, {
    eventBus: EventBus.fromEventBusName(stack, 'ParleyBus', cloud.eventBusName),
    sendQueue: Queue.fromQueueAttributes(stack, 'ParleySendQueue', {
      queueArn: arnOf('sqs', cloud.sendQueueUrl.split('/').at(-1) ?? ''),
      queueUrl: cloud.sendQueueUrl,
    }),
    management: {
      url: cloud.managementUrl,
      // The local run enforces no permissions.
      grantInvoke: (grantee) => Grant.drop(grantee, 'local run'),
    },
  });
  const { templateFullPath } = app.synth().getStackByName(stack.stackName);
  const template = await readTemplate(templateFullPath, edit);
  const supported = Object.entries(template.Resources).filter(([, { Type }]) => !RUN_BY_TESTS.includes(Type));
  const running = started.use(
    await startStack({
      stackName: 'Examples',
      template: { ...template, Resources: Object.fromEntries(supported) },
      assetFolder: outdir,
      folder,
      emulators: cloud.emulators,
      clock: cloud.clock,
      logs: { folder: join(cloud.logFolder, 'examples') },
      warn: (message) => console.error(message),
    }),
  );
  const resources = started.move();
  return { outputs: running.outputs, template, [Symbol.asyncDispose]: () => resources.disposeAsync() };
};
