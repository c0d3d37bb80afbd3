import { z } from 'zod';
import { directDependencies } from '../../changes/dependencies.ts';

/** `CodeDeployDefault.LambdaLinear10PercentEvery1Minute`: ten steps, one a minute. */
const MINUTES_PER_ROLLOUT = 10;

const resources = z.record(
  z.string(),
  z.looseObject({
    DependsOn: z.union([z.string(), z.array(z.string())]).optional(),
    UpdatePolicy: z.looseObject({ CodeDeployLambdaAliasUpdate: z.unknown() }).optional(),
  }),
);

/**
 * Returns how many minutes the gradual rollouts of a template take. CloudFormation updates a resource after everything
 * that it names or depends on, so some aliases move one after another.
 */
export function rolloutMinutes(template: { readonly Resources?: unknown }): number {
  const all = resources.parse(template.Resources);
  const finished = new Map<string, number>();
  const minutesUntil = (id: string): number => {
    const resource = all[id];
    const known = finished.get(id);
    if (known !== undefined || !resource) return known ?? 0;
    const own = resource.UpdatePolicy?.CodeDeployLambdaAliasUpdate === undefined ? 0 : MINUTES_PER_ROLLOUT;
    const minutes = own + Math.max(0, ...directDependencies(resource).map(minutesUntil));
    finished.set(id, minutes);
    return minutes;
  };
  return Math.max(0, ...Object.keys(all).map(minutesUntil));
}
