import { isPlaceholderAddress, isPlaceholderPlatform, isPlaceholderTopic, PLACEHOLDERS } from './placeholders.ts';
import { SettingsError } from './settings-faults.ts';
import type { StageSettings } from './stage-settings.ts';

/**
 * The context key with which the local run disables the check, because it replaces the addresses with its own. The
 * value must be the boolean `true`, which `-c` cannot pass.
 */
export const LOCAL_RUN_CONTEXT = 'parley:localRun';

/** The template's metadata in which a synth for the local run names the stack's properties that it ignores. */
export const IGNORED_METADATA = 'ParleyIgnored';

/** The settings that {@link checkProduction} checks. A construct has only some of them. */
export type CheckedSettings = Pick<StageSettings, 'production'> &
  Partial<
    Pick<
      StageSettings,
      | 'chatService'
      | 'chatPlatform'
      | 'chatChannelNumber'
      | 'webhook'
      | 'allowInsecureWebhook'
      | 'events'
      | 'alarmTopicArn'
    >
  >;

interface Fault {
  readonly path: string;
  readonly value: unknown;
  readonly expected: string;
}

/**
 * Rejects settings that are acceptable on a developer's machine but not in a production stage: placeholders, and a
 * webhook that accepts requests from anyone.
 *
 * @param place The prefix for paths in faults, such as `stages.prod` or a construct's path.
 * @param localRun The value of {@link LOCAL_RUN_CONTEXT}. With `true`, nothing is rejected.
 * @throws SettingsError that lists every fault.
 */
export function checkProduction(settings: CheckedSettings, place: string, localRun: unknown): void {
  if (!settings.production || localRun === true) return;
  const faults = [...placeholders(settings), ...insecureWebhook(settings)];
  if (faults.length === 0) return;
  throw new SettingsError(
    faults
      .map(({ path, value, expected }) => `${place}.${path}: got ${JSON.stringify(value)}, expected ${expected}.`)
      .join('\n'),
  );
}

const BECAUSE = 'because production is true';

function placeholders(settings: CheckedSettings): Fault[] {
  const { chatPlatform, chatChannelNumber } = settings;
  const platform = { path: 'chatPlatform', value: chatPlatform, what: "the chat service's real name of the platform" };
  const number = { path: 'chatChannelNumber', value: chatChannelNumber, what: "the business's real number" };
  return [
    ...addressesOf(settings).filter(({ value }) => value !== undefined && isPlaceholderAddress(value)),
    ...topicsOf(settings).filter(({ value }) => value !== undefined && isPlaceholderTopic(value)),
    ...(chatPlatform !== undefined && isPlaceholderPlatform(chatPlatform) ? [platform] : []),
    ...(chatChannelNumber === PLACEHOLDERS.chatChannelNumber ? [number] : []),
  ].map(({ path, value, what }) => ({ path, value, expected: `${what}, ${BECAUSE}` }));
}

function addressesOf({ chatService, webhook, events }: CheckedSettings) {
  const auth = webhook?.auth;
  return [
    { path: 'chatService.baseUrl', value: chatService?.baseUrl, what: 'the real address of the chat service' },
    ...(auth?.kind === 'pubsub-jwt'
      ? [
          { path: 'webhook.auth.audience', value: auth.audience, what: "the push subscription's real audience" },
          { path: 'webhook.auth.jwksUrl', value: auth.jwksUrl, what: 'the real address of the keys' },
          {
            path: 'webhook.auth.serviceAccountEmail',
            value: auth.serviceAccountEmail,
            what: "the push subscription's real service account",
          },
        ]
      : []),
    ...(events?.targets ?? []).flatMap((target, index) =>
      target.kind === 'https'
        ? [{ path: `events.targets.${index}.url`, value: target.url, what: 'the real address of the target' }]
        : [],
    ),
  ];
}

function topicsOf({ webhook, alarmTopicArn }: CheckedSettings) {
  const auth = webhook?.auth;
  return [
    { path: 'alarmTopicArn', value: alarmTopicArn, what: 'the ARN of a topic in your account' },
    ...(auth?.kind === 'sns'
      ? [{ path: 'webhook.auth.topicArn', value: auth.topicArn, what: "the ARN of the chat service's real topic" }]
      : []),
  ];
}

function insecureWebhook({ webhook, allowInsecureWebhook }: CheckedSettings): Fault[] {
  if (webhook?.auth.kind !== 'insecure-none' && !allowInsecureWebhook) return [];
  return [{ path: 'allowInsecureWebhook', value: allowInsecureWebhook, expected: `false, ${BECAUSE}` }];
}
