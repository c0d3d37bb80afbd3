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
  'webhook.auth.issuers': "a non-empty list of the push subscription's token issuers",
  'webhook.auth.jwksUrl':
    "the URL of the keys that sign the push subscription's tokens: https (http only on 127.0.0.1 or localhost)",
  'webhook.auth.toleranceSeconds':
    'an integer from 1 to 3600: how many seconds the timestamp of a webhook request may differ from the current time',
  'webhook.auth.header': 'the name of the header that contains the token: up to 64 letters, digits, and hyphens',
  'webhook.auth.envelope':
    '"none" or "pubsub": whether the body of a webhook request is the event itself, or a Google Cloud Pub/Sub push',
  'webhook.auth.topicArn':
    'the ARN of the SNS topic that delivers the events, such as "arn:aws:sns:eu-west-1:111122223333:chat-events"',
  'defaultTemplate.ruleNameOrId': 'the name or id of an approved template, a non-empty string',
  'defaultTemplate.params': "an object of strings: the values of the template's variables",
};

/** Returns the meaning, allowed values, and default of each setting, by its path. */
export function settingsGuide(): ReadonlyMap<string, string> {
  return new Map(describedSettings(z.toJSONSchema(stageSettings, { io: 'input' }), ''));
}

/** Walks the properties of a schema, including those of every alternative of a union. */
function describedSettings(schema: z.core.JSONSchema._JSONSchema, prefix: string): [path: string, guide: string][] {
  if (typeof schema === 'boolean') return [];
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    if (typeof property === 'boolean') return [];
    const path = `${prefix}${name}`;
    const description = property.description ?? DESCRIPTIONS_OF_SHARED_SETTINGS[path];
    const own: [string, string][] = description ? [[path, `${description}${defaultOf(property)}`]] : [];
    return [...own, ...describedSettings(property, `${path}.`)];
  });
  const alternatives = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  return [...properties, ...alternatives.flatMap((alternative) => describedSettings(alternative, prefix))];
}

/** Returns no default for an object, because its settings have their own. */
function defaultOf(schema: z.core.JSONSchema.BaseSchema): string {
  if (schema.default === undefined || schema.type === 'object') return '';
  return ` (default ${JSON.stringify(schema.default)})`;
}
