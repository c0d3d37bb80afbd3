import { type ManagementClient, ManagementError } from '../../cli/operations/management-client.ts';
import { dryRunResponse } from '../../lambdas/manage/api/dry-run.ts';
import type { Inspector } from '../../sandbox/base/inspector.ts';
import { orRefused } from './or-refused.ts';

/** Creates the inspector's dry run, which is the management API's: it decides as the function `send` does. */
export const createDryRun =
  (api: ManagementClient): Inspector['dryRun'] =>
  async (request) => {
    try {
      return await orRefused(async () => {
        const answer = dryRunResponse.parse(await api('POST', '/v1/sends?dryRun=true', request));
        const { decision, code, why, windowClosesAt, circuitBreaker, sending, backlog } = answer;
        return { kind: 'decided', decision: { decision, code, why, windowClosesAt, circuitBreaker, sending, backlog } };
      });
    } catch (error) {
      if (!(error instanceof ManagementError)) throw error;
      return { kind: 'unavailable', message: `The management API cannot decide now: ${error.message}.` };
    }
  };
