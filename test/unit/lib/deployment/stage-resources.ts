import { z } from 'zod';
import { EXTREME_STAGES } from '../quotas/extreme-stages.ts';
import { STAGE_VARIANTS } from '../rules/stage-variants.ts';
import { synthesizedStack } from '../synthesized-stack.ts';

const templateResources = z.record(z.string(), z.object({ Type: z.string(), Properties: z.unknown() }));

/** A resource of a template. */
export type StageResource = z.output<typeof templateResources>[string];

/** Returns the resources of every variant of a stage, and of the stages with settings at their maximum. */
export const stageResources = (): readonly StageResource[] => {
  const stages = [...STAGE_VARIANTS, ...EXTREME_STAGES.map((one) => ({ stage: 'prod', ...one }) as const)];
  return stages.flatMap(({ stage, settings, share }) =>
    Object.values(templateResources.parse(synthesizedStack(stage, settings, { share }).template.toJSON().Resources)),
  );
};

/** Returns the types of resources, sorted. */
export const typesOf = (resources: readonly StageResource[]): readonly string[] =>
  [...new Set(resources.map(({ Type }) => Type))].toSorted();
