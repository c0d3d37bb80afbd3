import { parseArgs } from 'node:util';
import type { SandboxOptions } from './sandbox.ts';
import { readWebhookAuth } from './webhook-auth-options.ts';

export type CommandLine =
  | { kind: 'run'; options: SandboxOptions }
  | { kind: 'help' }
  /** What is wrong, in a sentence that says what to do. */
  | { kind: 'fault'; sentence: string };

const DEFAULTS = {
  audience: 'parley-dev',
  'service-account-email': 'chat-events@example-project.iam.gserviceaccount.com',
  'token-header': 'x-webhook-token',
  'topic-arn': 'arn:aws:sns:us-east-1:000000000000:chat-events',
  'access-token': ['sandbox-token'],
  'chat-platform': 'chat',
  'chat-channel-number': ['+5491100000000'],
};

export const HELP = `npm run sandbox -- [options]

Starts the chat service on this machine: the endpoints of its API, signed webhook
deliveries, and a control API under /sandbox to play the users.

  --port NUMBER                   port on 127.0.0.1 (default: a free one)
  --webhook-url URL               where events are delivered (default: they wait)
  --auth KIND                     how deliveries are signed: pubsub-jwt (default), standard-webhooks,
                                  shared-token, sns or none
  --audience TEXT                 audience of the deliveries' tokens (default: ${DEFAULTS.audience})
  --service-account-email EMAIL   e-mail in the deliveries' tokens
                                  (default: ${DEFAULTS['service-account-email']})
  --secret BASE64                 secret of standard-webhooks, may be repeated
  --token TEXT                    token of shared-token, in the header --token-header
                                  (default: ${DEFAULTS['token-header']})
  --topic-arn ARN                 topic of sns (default: ${DEFAULTS['topic-arn']})
  --bare                          deliver the bare event, not the carrier's envelope
  --access-token TOKEN            token that the API accepts, may be repeated (default: ${DEFAULTS['access-token']})
  --chat-platform NAME            the platform's name (default: ${DEFAULTS['chat-platform']})
  --chat-channel-number NUMBER    the business's own number, may be repeated (default: ${DEFAULTS['chat-channel-number']})
  --credit NUMBER                 how many messages the account can pay for (default: 10000)
  --pending                       the account is not approved yet (default: it is)
  --opt-in-required               refuse to write first to users without an opt-in
  --data FILE                     keep the state in this file, so that a restart loses nothing
                                  (default: in memory)
  --help                          this text

Example: npm run sandbox -- --port 4000 --webhook-url http://127.0.0.1:3000/webhook
`;

/** Reads the arguments of `npm run sandbox`. */
export const readCommandLine = (args: readonly string[]): CommandLine => {
  const parsed = parse(args);
  if (typeof parsed === 'string') return { kind: 'fault', sentence: parsed };
  if (parsed.help) return { kind: 'help' };

  const port = Number(parsed.port);
  if (!/^\d{1,5}$/.test(parsed.port) || port > 65_535) {
    return fault('port', parsed.port, 'a number from 0 (a free port) to 65535');
  }
  if (!/^\d{1,12}$/.test(parsed.credit)) return fault('credit', parsed.credit, 'a number of messages such as 10000');
  const url = parsed['webhook-url'];
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    return fault('webhook-url', url, 'an http or https address such as http://127.0.0.1:3000/webhook');
  }
  for (const name of ['audience', 'service-account-email', 'chat-platform', 'access-token', 'data'] as const) {
    if ([parsed[name] ?? []].flat().some((text) => text.trim() === ''))
      return fault(name, '', 'a text that is not empty');
  }
  for (const number of parsed['chat-channel-number']) {
    if (!/^\+\d{5,15}$/.test(number)) {
      return fault('chat-channel-number', number, 'a number in international format such as +5491100000000');
    }
  }
  const auth = readWebhookAuth({
    kind: parsed.auth,
    audience: parsed.audience,
    serviceAccountEmail: parsed['service-account-email'],
    secrets: parsed.secret,
    header: parsed['token-header'],
    token: parsed.token,
    topicArn: parsed['topic-arn'],
  });
  if (typeof auth === 'string') return { kind: 'fault', sentence: auth };
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
      dataFile: parsed.data,
      webhook: url === undefined ? undefined : { url, auth, wrapped: !parsed.bare },
    },
  };
};

/** The options' values, or a sentence on the first that cannot be read. */
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
        data: { type: 'string' },
        bare: { type: 'boolean', default: false },
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
    // Node's own message goes on about positional arguments, which this command has none of.
    const [reason] = (error instanceof Error ? error.message : String(error)).split(/\.\s|\n/);
    return `${reason}; see --help.`;
  }
};

const fault = (name: string, value: string, expected: string): CommandLine => ({
  kind: 'fault',
  sentence: `--${name} is "${value}" but must be ${expected}.`,
});
