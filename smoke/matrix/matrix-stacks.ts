import { type App, CfnWaitCondition, CfnWaitConditionHandle, Stack, Validations } from 'aws-cdk-lib';
import { type IVpc, Vpc } from 'aws-cdk-lib/aws-ec2';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { z } from 'zod';
import { ParleyStack, stageFromContext } from '../../lib/index.ts';
import { ProbesStack } from './probes-stack.ts';
import { FORCED_FAILURE, MATRIX_CONTEXT, type SmokeNetwork } from './variants.ts';

const request = z.strictObject({
  stackName: z.string(),
  part: z.enum(['default', 'network', 'bus', 'probes']),
  network: z.strictObject({ vpcId: z.string(), subnetIds: z.array(z.string()).readonly() }).optional(),
  /** Whether the stack cannot be created. */
  fails: z.boolean().default(false),
});

/** Which stack to synthesize, and how. */
export type MatrixRequest = z.input<typeof request>;

/** Creates the requested stack of a matrix: a variant of the stage, or the probes. */
export function createMatrixStack(app: App): Stack {
  const { stackName, part, network, fails } = request.parse(JSON.parse(app.node.tryGetContext(MATRIX_CONTEXT)));
  if (part === 'probes') return new ProbesStack(app, stackName);
  const { settings } = stageFromContext(app);
  const existing = new Stack(app, 'Existing');
  Validations.of(existing).acknowledge({ id: 'CloudFormation-Validate::F0001', reason: 'It only names resources.' });
  const stack = new ParleyStack(app, stackName, {
    settings,
    ...(part === 'bus' && { eventBus: EventBus.fromEventBusName(existing, 'Bus', 'default') }),
    ...(part === 'network' && network && { vpc: vpcIn(existing, network) }),
  });
  if (fails) failAfterEverything(stack);
  return stack;
}

/** Which zones the subnets are in matters only to constructs that choose among them. */
const vpcIn = (scope: Stack, { vpcId, subnetIds }: SmokeNetwork): IVpc =>
  Vpc.fromVpcAttributes(scope, 'Vpc', {
    vpcId,
    availabilityZones: [...subnetIds],
    privateSubnetIds: [...subnetIds],
  });

/**
 * Adds a resource that fails once all others exist, because nobody sends the signal that it waits for.
 *
 * Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudformation-waitcondition.html
 */
function failAfterEverything(stack: Stack): void {
  const others = stack.node.children;
  const handle = new CfnWaitConditionHandle(stack, 'NoSignal');
  const failure = new CfnWaitCondition(stack, FORCED_FAILURE, { handle: handle.ref, timeout: '1', count: 1 });
  failure.node.addDependency(...others);
}
