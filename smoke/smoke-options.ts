import { parseArgs } from 'node:util';

/** What to test: the local run, or a stage that is deployed for the test. */
export type SmokeOptions =
  | { readonly kind: 'help' }
  | { readonly kind: 'local'; readonly stage: string; readonly settings: Readonly<Record<string, unknown>> }
  | DeployedOptions;

/** Deploys a stage of cdk.json. */
export interface DeployedOptions {
  readonly kind: 'deployed';
  readonly stage: string;
  /** The account that the stage may be deployed to. */
  readonly account: string;
  /** The address of a sandbox that both AWS and this machine can reach. */
  readonly chatServiceUrl: string;
  /** A token that the sandbox accepts. */
  readonly accessToken: string;
  readonly region: string | undefined;
  /** Whether to leave the stage deployed if a step fails. */
  readonly keep: boolean;
}

/** The command line cannot be carried out. The message says what is wrong and what to do. */
export class SmokeError extends Error {
  override readonly name = 'SmokeError';
}

export const HELP = `Deploys a temporary stage, checks that it receives, sends, publishes, and erases, and deletes it.

Usage: npm run smoke -- --stage NAME --account ID --chat-service-url URL [options]
       npm run smoke -- --local [--stage NAME]

Options:
  --stage NAME              the stage of cdk.json to deploy; it must not be deployed yet, and not be
                            a production stage (with --local: dev by default)
  --account ID              the AWS account; the test refuses to run with credentials of another one
  --chat-service-url URL    a running sandbox (npm run sandbox) that AWS and this machine can reach
  --access-token TOKEN      a token that the sandbox accepts (default: sandbox-token)
  --region REGION           the AWS region (default: that of your AWS profile)
  --keep                    leave the stage deployed if a step fails, so that you can inspect it
  --local                   test the local run instead: the same steps, without deploying
  --settings JSON           with --local, settings that override those of the stage
  --help                    show this help`;

/** Reads the command line. @throws SmokeError with a sentence about the first invalid option. */
export const readSmokeOptions = (args: readonly string[]): SmokeOptions => {
  const { help, local, stage, account, region, keep, settings, ...values } = parse(args);
  const chatServiceUrl = values['chat-service-url'];
  if (help) return { kind: 'help' };
  if (local) {
    const other = ['account', 'region', 'chat-service-url', 'access-token'].find((name) => Object.hasOwn(values, name));
    if (other !== undefined || account !== undefined || region !== undefined) {
      throw new SmokeError(
        '--local starts its own sandbox and deploys nothing, so it takes only --stage and --settings.',
      );
    }
    return { kind: 'local', stage: stage ?? 'dev', settings: readSettings(settings) };
  }
  if (stage === undefined) throw new SmokeError('--stage is missing. Name a stage of cdk.json, or use --local.');
  if (!/^\d{12}$/.test(account ?? '') || account === undefined) {
    throw new SmokeError('--account must be the 12 digits of the AWS account that the stage may be deployed to.');
  }
  if (chatServiceUrl === undefined || URL.parse(chatServiceUrl)?.protocol !== 'https:') {
    throw new SmokeError('--chat-service-url must be the https URL of a sandbox that AWS can reach.');
  }
  if (settings !== undefined) throw new SmokeError('--settings works only with --local. Change the stage in cdk.json.');
  return {
    kind: 'deployed',
    stage,
    account,
    region,
    keep,
    chatServiceUrl: chatServiceUrl.replace(/\/+$/, ''),
    accessToken: values['access-token'] ?? 'sandbox-token',
  };
};

const readSettings = (json = '{}'): Readonly<Record<string, unknown>> => {
  try {
    return Object(JSON.parse(json));
  } catch {
    throw new SmokeError('--settings must be JSON, such as {"webhook":{"auth":{"kind":"standard-webhooks"}}}.');
  }
};

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        stage: { type: 'string' },
        account: { type: 'string' },
        'chat-service-url': { type: 'string' },
        'access-token': { type: 'string' },
        region: { type: 'string' },
        settings: { type: 'string' },
        keep: { type: 'boolean', default: false },
        local: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split(/\.\s|\n/);
    throw new SmokeError(`${reason}. Run "npm run smoke -- --help" for usage.`);
  }
};
