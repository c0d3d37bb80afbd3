import { type AwsAccount, describeResource } from '../aws-account.ts';
import { deployStack } from '../deployed-host.ts';
import type { SmokeHost } from '../play-smoke.ts';
import { SmokeError } from '../smoke-options.ts';
import { matrixArgs } from './matrix-args.ts';
import { describeAll, failureOf, isLeft, removalOf } from './remove-stack.ts';
import { FORCED_FAILURE, stackNameOf, TABLE } from './variants.ts';

export interface FailedCreateOptions {
  readonly id: string;
  /** The stage of cdk.json. */
  readonly stage: string;
  readonly chatServiceUrl: string;
  readonly account: () => Promise<AwsAccount>;
}

/** What a production stage requires. Nothing is ever sent or received. */
const PRODUCTION = {
  production: true,
  chatChannelNumber: '+5491150000000',
  webhook: { auth: { kind: 'standard-webhooks' } },
};

/**
 * A first production deployment that fails once everything exists, and the removal that docs/delivery.md describes. The
 * variant `default`, which has the same stack name, is the next attempt.
 */
export const createFailedCreate = ({ id, stage, chatServiceUrl, account }: FailedCreateOptions): SmokeHost<never> => {
  const stackName = stackNameOf(id, 'default');
  let deployed: AwsAccount | undefined;

  const fail = async (): Promise<string> => {
    const aws = await account();
    deployed = aws;
    const deployment = { stackName, cdkArgs: matrixArgs({ stackName, part: 'default', fails: true }) };
    const output = await failureOf(
      deployStack(aws, deployment, stage, {
        ...PRODUCTION,
        chatService: { baseUrl: chatServiceUrl },
      }),
    );
    const stack = await aws.findStack(stackName);
    if (output === undefined) throw new SmokeError('Expected: a failed deployment. Seen: it succeeded.');
    // The CDK can fail before there is a stack.
    if (stack === undefined) throw new SmokeError(output);
    const unexpected = (await aws.failures(stackName)).filter(({ logicalId }) => logicalId !== FORCED_FAILURE);
    if (unexpected.length > 0) throw new SmokeError(`Not only ${FORCED_FAILURE} failed: ${describeAll(unexpected)}`);
    if (stack.status !== 'ROLLBACK_COMPLETE') {
      throw new SmokeError(`Expected: the stack is ROLLBACK_COMPLETE. Seen: ${stack.status}.`);
    }
    return `${stack.status}, ${stack.isProtected ? 'with' : 'without'} termination protection`;
  };

  const inspect = async (): Promise<string> => {
    const left = (await (await account()).resources(stackName)).filter(isLeft);
    const others = left.filter(({ type }) => type !== TABLE);
    if (others.length > 0) throw new SmokeError(`Expected: at most the table. Seen: ${describeAll(others)}.`);
    return left.length === 0 ? 'nothing' : left.map(describeResource).join('; ');
  };

  return {
    preparations: [
      { title: 'A first production deployment is forced to fail', run: fail },
      { title: 'It leaves at most its table', run: inspect },
    ],
    stage: () => Promise.reject(new SmokeError('A failed deployment has no stage.')),
    removal: removalOf('The failed stack and its table are deleted', stackName, () => deployed),
  };
};
