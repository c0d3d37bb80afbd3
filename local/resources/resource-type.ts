import { z } from 'zod';
import { LocalError } from '../local-error.ts';
import type { CreatedResource } from '../template/resolver.ts';
import type { CloudServices } from './cloud-services.ts';

/** A resource of the template whose intrinsics are resolved. */
export interface DeclaredResource {
  readonly logicalId: string;
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** How the local run stands in for one CloudFormation resource type. */
export interface ResourceType {
  /** Makes the resource. @throws LocalError for a property that is not known here or has a value that is not. */
  readonly create: (resource: DeclaredResource, cloud: CloudServices) => Promise<CreatedResource>;
  /** Why no property has any effect here, if so; then not even their intrinsics are resolved. */
  readonly inert?: string;
}

/** Properties that are knowingly without effect here, each with the reason. */
export type WithoutEffect = Readonly<Record<string, string>>;

/**
 * A resource type with the properties that the local run acts upon and those that it knowingly leaves aside.
 *
 * Any other property is an error, never a silence: it might be the one that makes the deployed system behave otherwise.
 */
export const defineResourceType = <Shape extends z.core.$ZodLooseShape>(definition: {
  readonly actsUpon: z.ZodObject<Shape, z.core.$strict>;
  readonly withoutEffect: WithoutEffect;
  readonly create: (
    properties: z.output<z.ZodObject<Shape, z.core.$strict>>,
    resource: DeclaredResource,
    cloud: CloudServices,
  ) => Promise<CreatedResource> | CreatedResource;
}): ResourceType => ({
  async create(resource, cloud) {
    const effective = Object.fromEntries(
      Object.entries(resource.properties).filter(([name]) => !(name in definition.withoutEffect)),
    );
    const parsed = definition.actsUpon.safeParse(effective);
    if (!parsed.success) throw new LocalError(parsed.error.issues.map((issue) => fault(resource, issue)).join(' '));
    return definition.create(parsed.data, resource, cloud);
  },
});

/** A resource type that changes nothing here whatever its properties say, for the given reason. */
export const inertResourceType = (
  reason: string,
  answers: (name: string, cloud: CloudServices) => CreatedResource,
): ResourceType => ({
  inert: reason,
  create: async (resource, cloud) => answers(cloud.physicalName(resource.logicalId), cloud),
});

const fault = ({ logicalId, type }: DeclaredResource, issue: z.core.$ZodIssue): string => {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.map((key) => (path ? `${path}.${key}` : key)).join(', ');
    return `${logicalId} (${type}): the local run does not know the property ${names}; teach it to local/resources.`;
  }
  return `${logicalId} (${type}): the local run cannot stand in for this ${path || 'resource'}: ${issue.message}.`;
};

/** For nested properties that are knowingly without effect; the caller's comment says why. */
export const unused = z.unknown().optional();
