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
  Partial<Pick<StageSettings, 'chatService' | 'chatChannelNumber' | 'webhook' | 'allowInsecureWebhook' | 'events'>>;

interface Fault {
  readonly path: string;
  readonly value: unknown;
  readonly expected: string;
}

/**
 * Rejects settings that are acceptable on a developer's machine but not in a production stage: placeholder addresses,
 * and a webhook that accepts requests from anyone.
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

function placeholders({ chatService, chatChannelNumber, webhook, events }: CheckedSettings): Fault[] {
  const auth = webhook?.auth;
  const hosts = [
    { path: 'chatService.baseUrl', value: chatService?.baseUrl, what: 'the real address of the chat service' },
    ...(auth?.kind === 'pubsub-jwt'
      ? [
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
  const number = { path: 'chatChannelNumber', value: chatChannelNumber, what: "the business's real number" };
  return [
    ...hosts.filter(({ value }) => value !== undefined && isPlaceholderHost(hostOf(value))),
    ...(chatChannelNumber === PLACEHOLDER_NUMBER ? [number] : []),
  ].map(({ path, value, what }) => ({ path, value, expected: `${what}, ${BECAUSE}` }));
}

function insecureWebhook({ webhook, allowInsecureWebhook }: CheckedSettings): Fault[] {
  if (webhook?.auth.kind !== 'insecure-none' && !allowInsecureWebhook) return [];
  return [{ path: 'allowInsecureWebhook', value: allowInsecureWebhook, expected: `false, ${BECAUSE}` }];
}

/** The number in the example settings and in the documentation. */
const PLACEHOLDER_NUMBER = '+5491100000000';

/**
 * Top-level and second-level domains that are reserved for examples and tests, the service account's project in the
 * example settings, and this machine.
 *
 * Sources: https://www.rfc-editor.org/rfc/rfc2606 and https://www.rfc-editor.org/rfc/rfc6761
 */
const PLACEHOLDER_DOMAINS = [
  'example',
  'test',
  'invalid',
  'localhost',
  'example.com',
  'example.net',
  'example.org',
  'example-project.iam.gserviceaccount.com',
];

const isPlaceholderHost = (host: string): boolean =>
  isLoopback(host) || PLACEHOLDER_DOMAINS.some((domain) => host === domain || host.endsWith(`.${domain}`));

const isLoopback = (host: string): boolean => /^127\./.test(host) || ['[::1]', '0.0.0.0', '[::]'].includes(host);

/** Returns the host of a URL or an email address, without the dot that may end a complete domain name. */
const hostOf = (address: string): string =>
  (URL.parse(address)?.hostname ?? address.slice(address.lastIndexOf('@') + 1)).toLowerCase().replace(/\.$/, '');
