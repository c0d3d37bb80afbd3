import { z } from 'zod';

const ROLLOUTS = ['allAtOnce', 'gradual'] as const;

/** How a new version of a function takes over its traffic. */
export const rollout = z
  .enum(ROLLOUTS)
  .default('allAtOnce')
  .meta({
    description:
      '"allAtOnce" or "gradual": whether a new version of a function takes over at once, or 10% of its traffic a ' +
      'minute until an alarm moves all of it back; see docs/delivery.md',
  });

/** The value of the setting `rollout`. */
export type Rollout = (typeof ROLLOUTS)[number];
