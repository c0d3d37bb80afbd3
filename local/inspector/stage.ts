import type { ManagementClient } from '../../cli/operations/management-client.ts';
import { stageResponse } from '../../lambdas/manage/api/stage.ts';
import type { Inspector, StageChanged, StageStatus } from '../../sandbox/base/inspector.ts';
import { orRefused } from './management-client.ts';

/** Creates the inspector's view of the stage and its actions: the same calls as those of `parley sending`. */
export const createStageOperations = (
  api: ManagementClient,
): Pick<Inspector, 'stage' | 'closeCircuitBreaker' | 'stopSending' | 'resumeSending'> => {
  const stage = async (): Promise<StageStatus> => {
    const { circuitBreaker, sending } = stageResponse.parse(await api('GET', '/v1/stage'));
    return { circuitBreaker, sending };
  };
  const act = (path: string, note: string | undefined): Promise<StageChanged> =>
    orRefused(async () => {
      await api('POST', path, { note });
      return { kind: 'changed', stage: await stage() };
    });
  return {
    stage,
    closeCircuitBreaker: (note) => act('/v1/circuit-breaker-closures', note),
    stopSending: (note) => act('/v1/stops', note),
    resumeSending: (note) => act('/v1/resumptions', note),
  };
};

/**
 * Creates a function that reads the stage and pushes it. Calls during a read cause one more read, so that the last push
 * is the current stage, whatever the order of the responses would have been.
 */
export const createStageFeed = (read: () => Promise<StageStatus>, push: (stage: StageStatus) => void): (() => void) => {
  let isReading = false;
  let isChanged = false;
  const readAndPush = async (): Promise<void> => {
    isReading = true;
    while (isChanged) {
      isChanged = false;
      // Ignores errors, because other parts report an API that does not respond.
      const stage = await read().catch(() => undefined);
      if (stage !== undefined) push(stage);
    }
    isReading = false;
  };
  return () => {
    isChanged = true;
    if (!isReading) void readAndPush();
  };
};
