/** What a resource depends on. */
export interface Dependent {
  readonly DependsOn?: string | readonly string[] | undefined;
}

/** Returns the logical ids to which a value refers. */
export function referencesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, argument]) => {
    if (name === 'Ref') return typeof argument === 'string' ? [argument] : [];
    if (name === 'Fn::GetAtt' && Array.isArray(argument)) return argument.slice(0, 1).map(String);
    return referencesIn(argument);
  });
}

/** Returns the logical ids of what CloudFormation creates and updates before a resource, directly. */
export const directDependencies = (resource: Dependent): readonly string[] =>
  [resource.DependsOn ?? []].flat().concat(referencesIn(resource));

/** Returns the logical ids of everything that CloudFormation creates and updates before a resource. */
export function allDependencies(resources: Readonly<Record<string, Dependent>>, id: string): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [id];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const resource = resources[one];
    for (const other of resource ? directDependencies(resource) : []) {
      if (found.has(other) || !(other in resources)) continue;
      found.add(other);
      open.push(other);
    }
  }
  return found;
}
