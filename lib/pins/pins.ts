import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { REPLACING_PROPERTIES } from './replacing-properties.ts';

const pin = z.strictObject({ type: z.string(), properties: z.record(z.string(), z.unknown()) });
const stackPins = z.strictObject({
  /** The pinned resources, by logical id. */
  resources: z.record(z.string(), pin),
  /** The existing resources that the stack uses, by the setting's path. */
  existing: z.record(z.string(), z.string()),
});

/** What a stack must not lose. */
export type StackPins = Readonly<z.output<typeof stackPins>>;

/** The contents of parley.pins.json, by the name of the stack. */
export const pinsFile = z.record(z.string(), stackPins);

/** The resources of a template. */
export const templateResources = z.record(
  z.string(),
  z.looseObject({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) }),
);

/** Returns the pins of a template's resources and of the existing resources that the settings name. */
export function pinsOf(
  resources: z.output<typeof templateResources>,
  existing: Readonly<Record<string, string | undefined>>,
): StackPins {
  const pinned = Object.entries(resources).flatMap(([logicalId, { Type: type, Properties }]) => {
    const replacing = REPLACING_PROPERTIES[type];
    if (!replacing) return [];
    const properties = Object.fromEntries(
      replacing.filter((name) => Properties[name] !== undefined).map((name) => [name, Properties[name]]),
    );
    return [[logicalId, { type, properties }] as const];
  });
  const ofSettings = Object.entries(existing).flatMap(([name, arn]) =>
    arn === undefined ? [] : [[`existing.${name}`, arn] as const],
  );
  return {
    resources: Object.fromEntries(pinned.toSorted(byName)),
    existing: Object.fromEntries(ofSettings.toSorted(byName)),
  };
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

/** Returns a sentence for each pinned resource that a deployment would delete, replace, or stop using. */
export function faultsOfPins(pinned: StackPins, actual: StackPins): readonly string[] {
  const resources = Object.entries(pinned.resources).flatMap(([logicalId, { type, properties }]) => {
    const now = actual.resources[logicalId];
    const what = `${logicalId} (${type})`;
    if (!now) return [`${causeOf(logicalId, type, actual)} would remove ${what} from the stack.`];
    const names = [...new Set([...Object.keys(properties), ...Object.keys(now.properties)])].toSorted();
    const changed = names.filter((name) => !isDeepStrictEqual(properties[name], now.properties[name]));
    if (now.type === type && changed.length === 0) return [];
    const change = now.type === type ? `its new ${changed.join(' and ')}` : `its new type ${now.type}`;
    return [`${causeOf(logicalId, type, actual)} would replace ${what} with an empty one, because of ${change}.`];
  });
  const existing = Object.entries(pinned.existing).flatMap(([setting, arn]) => {
    const now = actual.existing[setting];
    if (now === arn) return [];
    const instead = now === undefined ? 'a resource of its own' : now;
    return [`The setting ${setting} would make the stack use ${instead} instead of ${arn}.`];
  });
  return [...resources, ...existing];
}

/** Names the setting that adds or removes a resource. */
function causeOf(logicalId: string, type: string, { existing }: StackPins): string {
  const settings = (...names: readonly string[]) =>
    `The ${names.length > 1 ? 'settings' : 'setting'} ${names.join(' or ')}`;
  if (type === 'AWS::DynamoDB::Table' && existing['existing.tableArn']) return settings('existing.tableArn');
  if (type === 'AWS::Events::EventBus' && existing['existing.eventBusArn']) return settings('existing.eventBusArn');
  if (type === 'AWS::KMS::Key') return settings('customerManagedKey', 'existing.keyArn');
  if (type === 'AWS::ApiGatewayV2::DomainName') return settings('domainName');
  if (logicalId.startsWith('PublisherTargets')) return settings('events.targets');
  if (logicalId.startsWith('SenderBulkSendQueue')) return settings('sends.bulkLane');
  if (logicalId.startsWith('ReceiverWebhookSecret')) return settings('webhook.auth.kind');
  return "A change to the app's code or to Parley's version";
}
