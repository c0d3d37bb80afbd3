import { Option } from '@commander-js/extra-typings';
import { PLACEHOLDERS } from '../../lib/settings/placeholders.ts';
import { type StageSettingsInput, settingsObject } from '../../lib/settings/stage-settings.ts';

/** The kinds of `webhook.auth` that a new app can have. `insecure-none` is not one of them. */
export const AUTH_KINDS = ['pubsub-jwt', 'standard-webhooks', 'shared-token', 'sns'] as const;

type AuthKind = (typeof AUTH_KINDS)[number];

/** The options of `init` that become settings. */
export interface SettingsOptions {
  readonly number: string;
  readonly platform: string;
  readonly baseUrl: string;
  readonly contactCheckPath?: string | undefined;
  readonly numberFormat?: StageSettingsInput['chatService']['numberFormat'];
  readonly auth: AuthKind;
  readonly audience?: string | undefined;
  readonly serviceAccountEmail?: string | undefined;
  readonly header?: string | undefined;
  readonly topicArn?: string | undefined;
  readonly envelope?: 'none' | 'pubsub' | undefined;
}

/** Which kinds of authentication an option belongs to, and the setting that it becomes. */
export const AUTH_OPTIONS = {
  audience: { flag: '--audience', kinds: ['pubsub-jwt'] },
  serviceAccountEmail: { flag: '--service-account-email', kinds: ['pubsub-jwt'] },
  header: { flag: '--header', kinds: ['shared-token'] },
  topicArn: { flag: '--topic-arn', kinds: ['sns'] },
  envelope: { flag: '--envelope', kinds: ['standard-webhooks', 'shared-token'] },
} as const satisfies Readonly<Record<string, { readonly flag: string; readonly kinds: readonly AuthKind[] }>>;

/** The option that sets each setting, for messages. */
export const FLAGS: ReadonlyMap<string, string> = new Map([
  ['chatChannelNumber', '--number'],
  ['chatPlatform', '--platform'],
  ['chatService.baseUrl', '--base-url'],
  ['chatService.contactCheckPath', '--contact-check-path'],
  ['webhook.auth.kind', '--auth'],
  ...Object.entries(AUTH_OPTIONS).map(([name, { flag }]) => [`webhook.auth.${name}`, flag] as const),
]);

/** The defaults are placeholders: they work in the local run, and a production stage rejects them. */
export const numberOption = () =>
  new Option('--number <number>', 'Your business number').default(PLACEHOLDERS.chatChannelNumber);

export const platformOption = () =>
  new Option('--platform <name>', "The chat service's name of the chat platform").default(PLACEHOLDERS.chatPlatform);

export const baseUrlOption = () =>
  new Option('--base-url <url>', 'Base URL of the chat service').default(PLACEHOLDERS.baseUrl);

export const contactCheckPathOption = () =>
  new Option(
    '--contact-check-path <path>',
    'Path of the contact check after /api/v1.0/ (default: customer/checkChatContact)',
  );

export const numberFormatOption = () =>
  new Option(
    '--number-format <format>',
    'How the chat service wants phone numbers: as received, with a plus, or digits only (default: verbatim)',
  ).choices(settingsObject.shape.chatService.shape.numberFormat.unwrap().options);

/** The header that services with this contract send the token in. */
export const TOKEN_HEADER = 'auth-bm-token';

export const headerOption = () =>
  new Option(`${AUTH_OPTIONS.header.flag} <name>`, `shared-token: header of the token (default: ${TOKEN_HEADER})`);

export const authOption = () =>
  new Option('--auth <kind>', 'How the chat service authenticates webhook requests')
    .choices(AUTH_KINDS)
    .default('pubsub-jwt' as const);

export const envelopeOption = () =>
  new Option(
    `${AUTH_OPTIONS.envelope.flag} <kind>`,
    'standard-webhooks, shared-token: what the event is wrapped in (default: none)',
  ).choices(['none', 'pubsub'] as const);
