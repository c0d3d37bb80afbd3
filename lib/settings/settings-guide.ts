import { z } from 'zod';
import { stageSettings } from './stage-settings.ts';

/** Descriptions of settings whose schemas the functions use, kept here so that they are not bundled. */
const DESCRIPTIONS_OF_SHARED_SETTINGS: Readonly<Record<string, string>> = {
  'webhook.auth': "an object with kind and that kind's settings: how webhook requests are verified",
  'webhook.auth.kind':
    '"pubsub-jwt", "standard-webhooks", "shared-token", "sns", or, together with allowInsecureWebhook, "insecure-none"',
  'webhook.auth.audience': "the audience of the push subscription's tokens, a non-empty string",
  'webhook.auth.serviceAccountEmail':
    "the email address of the service account that signs the push subscription's tokens",
  'webhook.auth.jwksUrl':
    "the URL of the keys that sign the push subscription's tokens: https (http only on 127.0.0.1 or localhost)",
  'webhook.auth.header': 'the name of the header that contains the token: up to 64 letters, digits, and hyphens',
  'webhook.auth.envelope':
    '"none" or "pubsub": whether the body of a webhook request is the event itself, or a Google Cloud Pub/Sub push',
  'webhook.auth.topicArn':
    'the ARN of the SNS topic that delivers the events, such as "arn:aws:sns:eu-west-1:111122223333:chat-events"',
  'defaultTemplate.ruleNameOrId': 'the name or id of an approved template, a non-empty string',
  'defaultTemplate.params': "an object of strings: the values of the template's variables",
};

/** A setting, or a group of settings. */
export interface DescribedSetting {
  /** Such as `chatService.baseUrl`, or `events.targets[].kind` for a field of a list's elements. */
  readonly path: string;
  /** What the value must be, and what it means. Undefined if the schema lacks a sentence, which a test rejects. */
  readonly description: string | undefined;
  /** Undefined for a group, because its settings have their own. */
  readonly byDefault: unknown;
  readonly isRequired: boolean;
  /** The values of `kind` that it is for. Empty if it is for all. */
  readonly kinds: readonly string[];
}

/** Returns the meaning, allowed values, and default of each setting, by its path. */
export function settingsGuide(): ReadonlyMap<string, string> {
  return new Map(
    describedSettings().flatMap(({ path, description, byDefault }) => {
      const suffix = byDefault === undefined ? '' : ` (default ${JSON.stringify(byDefault)})`;
      return description === undefined ? [] : [[path, `${description}${suffix}`]];
    }),
  );
}

/** Returns every setting in the order of the schema. A setting that several kinds of an object share is there once. */
export function describedSettings(): readonly DescribedSetting[] {
  const found = new Map<string, DescribedSetting>();
  for (const setting of settingsIn(z.toJSONSchema(stageSettings, { io: 'input' }), '')) {
    const { kinds = [] } = found.get(setting.path) ?? {};
    found.set(setting.path, { ...setting, kinds: [...kinds, ...setting.kinds] });
  }
  return [...found.values()];
}

/** Walks the properties of a schema, including those of every alternative of a union and of a list's elements. */
function settingsIn(
  schema: z.core.JSONSchema._JSONSchema,
  prefix: string,
  kinds: readonly string[] = [],
): readonly DescribedSetting[] {
  if (typeof schema === 'boolean') return [];
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    if (typeof property === 'boolean') return [];
    const path = `${prefix}${name}`;
    const own: DescribedSetting = {
      path,
      description: property.description ?? DESCRIPTIONS_OF_SHARED_SETTINGS[path],
      byDefault: property.type === 'object' ? undefined : property.default,
      isRequired: schema.required?.includes(name) ?? false,
      kinds: name === 'kind' ? [] : kinds,
    };
    const elements = Array.isArray(property.items) ? [] : settingsIn(property.items ?? {}, `${path}[].`);
    return [own, ...settingsIn(property, `${path}.`), ...elements];
  });
  const alternatives = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  return [...properties, ...alternatives.flatMap((one) => settingsIn(one, prefix, kindsOf(one)))];
}

function kindsOf(schema: z.core.JSONSchema._JSONSchema): readonly string[] {
  const kind = typeof schema === 'boolean' ? undefined : schema.properties?.kind;
  return typeof kind === 'object' && typeof kind.const === 'string' ? [kind.const] : [];
}
