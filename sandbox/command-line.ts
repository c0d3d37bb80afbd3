import { parseArgs } from 'node:util';
import { COMMANDS } from './base/command-names.ts';
import { EVENT_FORMAT_NAMES } from './base/event-format-names.ts';
import type { WebhookAuth } from './delivery/subscription.ts';
import type { SandboxOptions } from './sandbox.ts';

export type CommandLine =
  | { readonly kind: 'run'; readonly options: SandboxOptions }
  | { readonly kind: 'help' }
  /** What is wrong and how to fix it, in one sentence. */
  | { readonly kind: 'invalid'; readonly sentence: string };

const DEFAULTS = {
  audience: 'parley-dev',
  'service-account-email': 'chat-events@example-project.iam.gserviceaccount.com',
  'token-header': 'x-webhook-token',
  'topic-arn': 'arn:aws:sns:us-east-1:000000000000:chat-events',
  'access-token': ['sandbox-token'],
  'chat-platform': 'chat',
  'chat-channel-number': ['+5491100000000'],
};

export const HELP = `Usage: ${COMMANDS.sandbox} [options]

Starts the chat service on this machine: its API, signed webhook deliveries, and
a control API under /sandbox for acting as the users.

  --port NUMBER                   port on 127.0.0.1 (default: a free port)
  --webhook-url URL               where events are delivered (default: events wait)
  --auth KIND                     how webhook requests are signed: pubsub-jwt (default),
                                  standard-webhooks, shared-token, sns, or none
  --audience TEXT                 audience of the pubsub-jwt tokens (default: ${DEFAULTS.audience})
  --service-account-email EMAIL   email in the pubsub-jwt tokens
                                  (default: ${DEFAULTS['service-account-email']})
  --secret BASE64                 secret for standard-webhooks; can be repeated
  --token TEXT                    token for shared-token
  --token-header NAME             header of that token (default: ${DEFAULTS['token-header']})
  --topic-arn ARN                 topic for sns (default: ${DEFAULTS['topic-arn']})
  --bare                          deliver the bare event, without an envelope
  --event-format FORMAT           how events are written: uppercase (default, the contract's),
                                  camelCase, or v1.1
  --access-token TOKEN            token that the API accepts; can be repeated (default: ${DEFAULTS['access-token']})
  --chat-platform NAME            name of the chat platform (default: ${DEFAULTS['chat-platform']})
  --chat-channel-number NUMBER    the business's own number; can be repeated
                                  (default: ${DEFAULTS['chat-channel-number']})
  --credit NUMBER                 how many messages the account can pay for (default: 10000)
  --pending                       start with an account that is not approved
  --opt-in-required               refuse to write first to users without an opt-in
  --allow-host NAME               also answer requests to this host name, such as
                                  host.docker.internal; can be repeated
  --data FILE                     keep the state in this file across restarts (default: in memory)
  --help                          show this help

Example: ${COMMANDS.sandbox} --port 4000 --webhook-url http://127.0.0.1:3000/webhook
`;

/** Parses the arguments of the sandbox's command. */
export const readCommandLine = (args: readonly string[]): CommandLine => {
  const parsed = parse(args);
  if (typeof parsed === 'string') return { kind: 'invalid', sentence: parsed };
  if (parsed.help) return { kind: 'help' };

  const port = Number(parsed.port);
  if (!/^\d{1,5}$/.test(parsed.port) || port > 65_535) {
    return invalid('port', parsed.port, 'a number from 0 (a free port) to 65535');
  }
  if (!/^\d{1,12}$/.test(parsed.credit)) return invalid('credit', parsed.credit, 'a number of messages such as 10000');
  const url = parsed['webhook-url'];
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    return invalid('webhook-url', url, 'an http or https URL such as http://127.0.0.1:3000/webhook');
  }
  for (const name of ['audience', 'service-account-email', 'chat-platform', 'access-token', 'data'] as const) {
    if ([parsed[name] ?? []].flat().some((text) => text.trim() === '')) return invalid(name, '', 'a non-empty string');
  }
  for (const number of parsed['chat-channel-number']) {
    if (!/^\+\d{5,15}$/.test(number)) {
      return invalid('chat-channel-number', number, 'a number in international format such as +5491100000000');
    }
  }
  for (const name of parsed['allow-host']) {
    if (!/^[a-z0-9.-]+$/i.test(name)) return invalid('allow-host', name, 'a host name without a port');
  }
  const eventFormat = EVENT_FORMAT_NAMES.find((name) => name === parsed['event-format']);
  if (eventFormat === undefined) {
    return invalid('event-format', parsed['event-format'], 'uppercase, camelCase, or v1.1');
  }
  const auth = readWebhookAuth(parsed);
  if (typeof auth === 'string') return { kind: 'invalid', sentence: auth };
  return {
    kind: 'run',
    options: {
      port,
      accessTokens: parsed['access-token'],
      chatPlatform: parsed['chat-platform'],
      chatChannelNumbers: parsed['chat-channel-number'],
      credit: Number(parsed.credit),
      approved: !parsed.pending,
      optInRequired: parsed['opt-in-required'],
      eventFormat,
      dataFile: parsed.data,
      allowedHosts: parsed['allow-host'],
      webhook: url === undefined ? undefined : { url, auth, wrapped: !parsed.bare },
    },
  };
};

/** Returns the options' values, or a sentence about the first invalid option. */
const parse = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string', default: '0' },
        'webhook-url': { type: 'string' },
        audience: { type: 'string', default: DEFAULTS.audience },
        'service-account-email': { type: 'string', default: DEFAULTS['service-account-email'] },
        auth: { type: 'string', default: 'pubsub-jwt' },
        secret: { type: 'string', multiple: true, default: [] },
        'token-header': { type: 'string', default: DEFAULTS['token-header'] },
        token: { type: 'string', default: '' },
        'topic-arn': { type: 'string', default: DEFAULTS['topic-arn'] },
        'allow-host': { type: 'string', multiple: true, default: [] },
        data: { type: 'string' },
        bare: { type: 'boolean', default: false },
        'event-format': { type: 'string', default: 'uppercase' },
        'access-token': { type: 'string', multiple: true, default: DEFAULTS['access-token'] },
        'chat-platform': { type: 'string', default: DEFAULTS['chat-platform'] },
        'chat-channel-number': { type: 'string', multiple: true, default: DEFAULTS['chat-channel-number'] },
        credit: { type: 'string', default: '10000' },
        pending: { type: 'boolean', default: false },
        'opt-in-required': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    // Node's message continues with advice about positional arguments, which this command does not have.
    const [reason] = (error instanceof Error ? error.message : String(error)).split(/\.\s|\n/);
    return `${reason}; see --help.`;
  }
};

const invalid = (name: string, value: string, expected: string): CommandLine => ({
  kind: 'invalid',
  sentence: `--${name} is "${value}" but must be ${expected}.`,
});

type AuthOptions = Exclude<ReturnType<typeof parse>, string>;

const BASE64 = /^(whsec_)?[A-Za-z0-9+/]{4,}={0,2}$/;

/** Returns how webhook requests are signed, or a sentence about an invalid option. */
const readWebhookAuth = (options: AuthOptions): WebhookAuth | string => {
  const { auth: kind, secret: secrets, token, 'token-header': header } = options;
  switch (kind) {
    case 'pubsub-jwt':
      return { kind, audience: options.audience, serviceAccountEmail: options['service-account-email'] };
    case 'standard-webhooks':
      if (secrets.length === 0) return '--auth standard-webhooks needs --secret BASE64.';
      if (!secrets.every((secret) => BASE64.test(secret))) {
        return '--secret must be base64, with or without the prefix whsec_.';
      }
      return { kind, secrets };
    case 'shared-token':
      if (!/^[\x21-\x7e]+$/.test(token))
        return '--auth shared-token needs --token TEXT, with visible ASCII characters only.';
      if (!/^[a-z0-9-]+$/i.test(header)) return `--token-header is "${header}" but must be a header name.`;
      return { kind, header, token };
    case 'sns':
      return { kind, topicArn: options['topic-arn'] };
    case 'none':
      return { kind };
    default:
      return `--auth is "${kind}" but must be pubsub-jwt, standard-webhooks, shared-token, sns, or none.`;
  }
};
