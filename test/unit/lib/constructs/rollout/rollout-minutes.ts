import { z } from 'zod';

/** `CodeDeployDefault.LambdaLinear10PercentEvery1Minute`: ten steps, one a minute. */
const MINUTES_PER_ROLLOUT = 10;

const resources = z.record(
  z.string(),
  z.looseObject({
    DependsOn: z.union([z.string().transform((id) => [id]), z.array(z.string())]).default([]),
    UpdatePolicy: z.looseObject({ CodeDeployLambdaAliasUpdate: z.unknown().optional() }).optional(),
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
    const known = finished.get(id);
    if (known !== undefined) return known;
    const resource = all[id];
    if (!resource) return 0;
    const needed = [...resource.DependsOn, ...namesIn(resource)].filter((other) => other in all && other !== id);
    const own = resource.UpdatePolicy?.CodeDeployLambdaAliasUpdate === undefined ? 0 : MINUTES_PER_ROLLOUT;
    const minutes = own + Math.max(0, ...needed.map(minutesUntil));
    finished.set(id, minutes);
    return minutes;
  };
  return Math.max(0, ...Object.keys(all).map(minutesUntil));
}

/** Returns what the expressions of a resource name. */
const namesIn = (resource: unknown): readonly string[] =>
  [...JSON.stringify(resource).matchAll(/"(?:Ref":|Fn::GetAtt":\[)"(\w+)"/g)].flatMap(([, id]) => id ?? []);
