import { z } from 'zod';

/**
 * How a new version of a function takes over: at once, or with CodeDeploy's predefined configurations.
 *
 * Source: https://docs.aws.amazon.com/codedeploy/latest/userguide/deployment-configurations.html
 */
export const ROLLOUTS = [
  'allAtOnce',
  'canary10Percent5Minutes',
  'canary10Percent10Minutes',
  'canary10Percent15Minutes',
  'canary10Percent30Minutes',
  'linear10PercentEvery1Minute',
  'linear10PercentEvery2Minutes',
  'linear10PercentEvery3Minutes',
  'linear10PercentEvery10Minutes',
] as const;

export const rollout = z
  .enum(ROLLOUTS)
  .default('allAtOnce')
  .meta({
    description:
      `how a new version of a function takes over its traffic, one of ${ROLLOUTS.map((name) => `"${name}"`).join(', ')}; ` +
      'see docs/delivery.md',
  });

/** The value of the setting `rollout`. */
export type Rollout = (typeof ROLLOUTS)[number];
