import type { Instant } from '../../lambdas/domain/instant.ts';
import { stageResponse } from '../../lambdas/manage/api/stage.ts';
import { describeTime } from '../base/human-time.ts';
import type { ManagementClient } from '../operations/management-client.ts';

/** Says why nothing would be sent now, whatever the forecast. */
export const describeHolds = async (call: ManagementClient, now: Instant): Promise<readonly string[]> => {
  const { circuitBreaker, sending } = stageResponse.parse(await call('GET', '/v1/stage'));
  const { state, openedAt = '', why } = circuitBreaker;
  const { stoppedAt = '', note } = sending;
  return [
    ...(sending.state === 'stopped'
      ? [
          `Sending has been stopped since ${describeTime(stoppedAt, now)}, so requests wait: ${note ?? 'no reason given'}`,
        ]
      : []),
    ...(state === 'open'
      ? [`The circuit breaker has been open since ${describeTime(openedAt, now)}, so requests wait: ${why}`]
      : []),
  ];
};
