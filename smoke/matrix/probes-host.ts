import type { AwsAccount } from '../aws-account.ts';
import type { SmokeHost } from '../play-smoke.ts';
import { SmokeError } from '../smoke-options.ts';
import { matrixArgs } from './matrix-args.ts';
import type { Evidence } from './questions.ts';
import { describeAll, failureOf, removalOf } from './remove-stack.ts';
import { stackNameOf, TABLE } from './variants.ts';

/** Deploys the probes, which ask an account about permissions. What cannot be created is an answer, too. */
export const createProbesHost = (
  id: string,
  account: () => Promise<AwsAccount>,
  waits: Pick<Evidence, 'patienceMs' | 'pollMs'>,
): SmokeHost<Evidence> => {
  const stackName = stackNameOf(id, 'probes');
  let deployed: AwsAccount | undefined;
  let evidence: Evidence | undefined;

  const deploy = async (): Promise<string> => {
    const aws = await account();
    deployed = aws;
    const args = ['deploy', stackName, ...matrixArgs({ stackName, part: 'probes' }), '--require-approval', 'never'];
    // Without a rollback, the other probes still answer if one cannot be created.
    const output = await failureOf(aws.runCdk([...args, '--no-rollback']));
    if ((await aws.findStack(stackName)) === undefined) throw new SmokeError(output ?? 'There is no stack.');
    const resources = await aws.resources(stackName);
    if (!resources.some(({ type, status }) => type === TABLE && status === 'CREATE_COMPLETE')) {
      throw new SmokeError(output ?? 'There is no table.');
    }
    evidence = { aws, resources, ...waits, sinceSeconds: Date.now() / 1000 };
    const failed = resources.filter(({ status }) => status === 'CREATE_FAILED');
    return failed.length === 0 ? stackName : `${stackName}, without ${describeAll(failed)}`;
  };

  return {
    preparations: [{ title: 'The probes are deployed', run: deploy }],
    async stage() {
      if (evidence === undefined) throw new SmokeError('The probes are not deployed.');
      return evidence;
    },
    removal: removalOf('The probes are deleted', stackName, () => deployed),
  };
};
