import { z } from 'zod';
import { LocalError, unsupported } from '../base/local-error.ts';
import type { Emulators } from '../emulators/emulators.ts';
import type { ApiDestinations } from '../emulators/event-targets.ts';
import type { QueueMappingDeclaration } from '../event-sources/queue-mapping.ts';
import type { RecurringScheduleDeclaration } from '../event-sources/recurring-schedules.ts';
import type { StreamMappingDeclaration } from '../event-sources/stream-mapping.ts';
import type { AliasDeclaration, FunctionDeclaration } from '../functions/invocation.ts';
import type { HttpApi } from '../http-api/http-api.ts';
import type { RestApi } from '../rest-api/rest-api.ts';
import type { CreatedResource } from '../template/resolver.ts';

/** The template's description of an API. */
interface DeclaredApi {
  readonly logicalId: string;
  readonly name: string;
}

/** The services that resources are created with. */
export interface CloudServices
  extends Pick<Emulators, 'dynamodb' | 'sqs' | 'queueBaseUrl' | 'secrets' | 'buses' | 'schedules' | 'cloudWatch'> {
  readonly apiDestinations: ApiDestinations;
  /** The folder that contains the synthesized assets. */
  readonly assetFolder: string;
  /** The functions and mappings that resources declare. They start when all resources exist. */
  readonly declared: Declarations;
  /** Returns the name that CloudFormation would generate for an unnamed resource. */
  physicalName(logicalId: string): string;
  /** Starts an HTTP API, so that its URL is known to the resources that reference it. */
  openHttpApi(apiId: string, declared: DeclaredApi): Promise<HttpApi>;
  httpApi(apiId: string): HttpApi | undefined;
  /** Starts a REST API, so that its URL is known to the resources that reference it. */
  openRestApi(apiId: string, declared: DeclaredApi): Promise<RestApi>;
  restApi(apiId: string): RestApi | undefined;
}

export interface Declarations {
  readonly functions: FunctionDeclaration[];
  readonly aliases: AliasDeclaration[];
  readonly queueMappings: QueueMappingDeclaration[];
  readonly streamMappings: StreamMappingDeclaration[];
  readonly recurringSchedules: RecurringScheduleDeclaration[];
}

/** A resource of the template with resolved intrinsics. */
export interface DeclaredResource {
  readonly logicalId: string;
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** How the local run emulates a CloudFormation resource type. */
export interface ResourceType {
  /** Creates the resource. @throws LocalError if a property or a value is not supported. */
  readonly create: (resource: DeclaredResource, cloud: CloudServices) => Promise<CreatedResource>;
  /** Why none of the properties has an effect. If set, their intrinsics are not resolved. */
  readonly inert?: string;
}

/** Properties that have no effect in the local run, with the reasons. */
export type WithoutEffect = Readonly<Record<string, string>>;

/**
 * Defines a resource type by the properties that the local run supports and those that it deliberately ignores.
 *
 * Any other property is an error, because it might make the deployed system behave differently.
 */
export const defineResourceType = <Shape extends z.core.$ZodLooseShape>(definition: {
  readonly supports: z.ZodObject<Shape, z.core.$strict>;
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
    const parsed = definition.supports.safeParse(effective);
    if (parsed.success) return definition.create(parsed.data, resource, cloud);
    throw new LocalError(parsed.error.issues.map((issue) => fault(resource, issue)).join(' '));
  },
});

/** Defines a resource type that has no effect in the local run, and why. */
export const inertResourceType = (
  reason: string,
  created: (physicalName: string) => CreatedResource = (name) => ({ ref: name, attributes: {} }),
): ResourceType => ({
  inert: reason,
  create: async ({ logicalId }, cloud) => created(cloud.physicalName(logicalId)),
});

/** Returns how errors refer to a resource. */
export const placeOf = ({ logicalId, type }: Pick<DeclaredResource, 'logicalId' | 'type'>): string =>
  `${logicalId} (${type})`;

const fault = (resource: DeclaredResource, issue: z.core.$ZodIssue): string => {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.map((key) => (path ? `${path}.${key}` : key)).join(', ');
    return unsupported(placeOf(resource), `the property ${names}`, 'local/resources').message;
  }
  return `${placeOf(resource)}: the local run does not support this ${path || 'resource'}: ${issue.message}.`;
};

/** The schema of a nested property that has no effect. A comment where it is used says why. */
export const ignored = z.unknown().optional();
