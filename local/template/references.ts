import { LocalError } from '../local-error.ts';
import { getAttTarget, intrinsicOf, isObject, SUB_REFERENCE, splitOnce } from './intrinsics.ts';
import type { Template } from './template.ts';

/** Every logical id that a value refers to by `Ref`, `Fn::GetAtt` or `Fn::Sub`. */
export const referencesOf = (value: unknown): ReadonlySet<string> => {
  const found = new Set<string>();
  collect(value, found);
  return found;
};

const collect = (value: unknown, found: Set<string>): void => {
  const intrinsic = intrinsicOf(value);
  if (intrinsic) {
    const [name, argument] = intrinsic;
    if (name === 'Ref' && typeof argument === 'string') found.add(argument);
    if (name === 'Fn::GetAtt') found.add(getAttTarget(argument)?.[0] ?? '');
    if (name === 'Fn::Sub') for (const id of subReferences(argument)) found.add(id);
  }
  if (Array.isArray(value)) for (const item of value) collect(item, found);
  else if (isObject(value)) for (const item of Object.values(value)) collect(item, found);
};

const subReferences = (argument: unknown): string[] => {
  const text: unknown = Array.isArray(argument) ? argument[0] : argument;
  if (typeof text !== 'string') return [];
  return [...text.matchAll(SUB_REFERENCE)].flatMap(([, literal, name]) =>
    literal === '!' || name === undefined ? [] : [splitOnce(name, '.')[0] ?? name],
  );
};

/**
 * The logical ids in an order in which each resource comes after all that it refers to, as CloudFormation creates them.
 *
 * @throws LocalError when resources wait for each other in a circle, or one depends on a resource that is not there.
 */
export const creationOrder = (resources: Template['Resources']): readonly string[] => {
  const order: string[] = [];
  const state = new Map<string, 'visiting' | 'done'>();
  const visit = (logicalId: string, path: readonly string[]): void => {
    const resource = resources[logicalId];
    if (!resource || state.get(logicalId) === 'done') return;
    if (state.get(logicalId) === 'visiting') {
      throw new LocalError(`These resources wait for each other: ${[...path, logicalId].join(' → ')}.`);
    }
    state.set(logicalId, 'visiting');
    for (const dependency of resource.DependsOn) {
      if (!resources[dependency]) {
        throw new LocalError(
          `${logicalId} (${resource.Type}) depends on ${dependency}, which the template does not have.`,
        );
      }
    }
    for (const id of [...resource.DependsOn, ...referencesOf(resource.Properties)]) visit(id, [...path, logicalId]);
    state.set(logicalId, 'done');
    order.push(logicalId);
  };
  for (const logicalId of Object.keys(resources)) visit(logicalId, []);
  return order;
};
