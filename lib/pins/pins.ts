import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { REPLACING_PROPERTIES } from './replacing-properties.ts';

const pin = z.strictObject({ type: z.string(), properties: z.record(z.string(), z.unknown()) });
const stackPins = z.strictObject({
  /** The pinned resources, by logical id. */
  resources: z.record(z.string(), pin),
  /** The ARNs of the existing resources that the stack uses, by the stack's property. */
  existing: z.record(z.string(), z.string()),
  /** The settings that are part of every contact's key, by path. Earlier versions pinned none. */
  settings: z.record(z.string(), z.string()).default({}),
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

/** Returns the pins of a template's resources, of the existing resources that the stack uses, and of its settings. */
export function pinsOf(
  resources: z.output<typeof templateResources>,
  { existing, settings }: Omit<StackPins, 'resources'>,
): StackPins {
  const pinned = Object.entries(resources).flatMap(([logicalId, { Type: type, Properties }]) => {
    const replacing = REPLACING_PROPERTIES[type];
    if (!replacing) return [];
    const properties = Object.fromEntries(
      replacing.filter((name) => Properties[name] !== undefined).map((name) => [name, Properties[name]]),
    );
    return [[logicalId, { type, properties }] as const];
  });
  return {
    resources: Object.fromEntries(pinned.toSorted(byName)),
    existing: Object.fromEntries(Object.entries(existing).toSorted(byName)),
    settings,
  };
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

/** Returns a sentence for each pinned resource or setting that a deployment would delete, replace, or stop using. */
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
  const existing = Object.entries(pinned.existing).flatMap(([property, arn]) => {
    const now = actual.existing[property];
    if (now === arn) return [];
    const instead = now === undefined ? 'a resource of its own' : now;
    return [`The property ${property} would make the stack use ${instead} instead of ${arn}.`];
  });
  const settings = Object.entries(pinned.settings).flatMap(([path, value]) =>
    actual.settings[path] === value
      ? []
      : [
          `The setting ${path} is no longer "${value}", so the stage would not find the windows, opt-ins, and opt-outs of ` +
            'its contacts.',
        ],
  );
  return [...resources, ...existing, ...settings];
}

/** Names the setting or the stack's property that adds or removes a resource. */
function causeOf(logicalId: string, type: string, { existing }: StackPins): string {
  if (type === 'AWS::DynamoDB::Table' && existing.table) return 'The property table';
  if (type === 'AWS::Events::EventBus' && existing.eventBus) return 'The property eventBus';
  if (type === 'AWS::KMS::Key' && existing.encryptionKey) return 'The property encryptionKey';
  if (type === 'AWS::KMS::Key') return 'The setting customerManagedKey';
  if (logicalId.startsWith('PublisherTargets')) return 'The setting events.targets';
  if (logicalId.startsWith('SenderBulkSendQueue')) return 'The setting sends.bulkLane';
  if (logicalId.startsWith('ReceiverWebhookSecret')) return 'The setting webhook.auth.kind';
  return "A change to the app's code or to Parley's version";
}
