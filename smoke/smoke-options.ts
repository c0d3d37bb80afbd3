import { parseArgs } from 'node:util';
import type { SmokeNetwork } from './matrix/variants.ts';

/** What to test: the local run, or a stage that is deployed for the test. */
export type SmokeOptions = { readonly kind: 'help' } | LocalOptions | DeployedOptions | MatrixOptions | CleanOptions;

export interface LocalOptions {
  readonly kind: 'local';
  readonly stage: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

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

/** Tests variants of a stage, in an account or in local runs. */
export interface MatrixOptions extends Omit<LocalOptions, 'kind'> {
  readonly kind: 'matrix';
  /** Undefined for local runs. */
  readonly deployed: DeployedOptions | undefined;
  readonly network: SmokeNetwork | undefined;
  /** Whether to deploy without asking. */
  readonly yes: boolean;
}

/** Deletes what killed tests left in an account. */
export interface CleanOptions {
  readonly kind: 'clean';
  readonly account: string;
  readonly region: string | undefined;
  readonly yes: boolean;
}

/** The command line cannot be carried out. The message says what is wrong and what to do. */
export class SmokeError extends Error {
  override readonly name = 'SmokeError';
}

export const HELP = `Deploys a temporary stage, checks that it receives, sends, publishes, and erases, and deletes it.

Usage: npm run smoke -- --stage NAME --account ID --chat-service-url URL [options]
       npm run smoke -- --matrix --stage NAME --account ID --chat-service-url URL [options]
       npm run smoke -- [--matrix] --local [--stage NAME]
       npm run smoke -- --clean --account ID [--region REGION] [--yes]

Options:
  --stage NAME              the stage of cdk.json to deploy; it must not be deployed yet, and not be
                            a production stage (with --local: dev by default)
  --account ID              the AWS account; the test refuses to run with credentials of another one
  --chat-service-url URL    a running sandbox (npm run sandbox) that AWS and this machine can reach
  --access-token TOKEN      a token that the sandbox accepts (default: sandbox-token)
  --region REGION           the AWS region (default: that of your AWS profile)
  --keep                    leave the stage deployed if a step fails, so that you can inspect it
  --matrix                  test three variants of the stage, a first deployment that
                            fails, and what AWS does not document; print a report
  --vpc ID                  with --matrix, a VPC for the second variant (default: no VPC)
  --subnets ID,ID           its private subnets, which need a route to a NAT gateway
  --clean                   delete what killed --matrix tests left in the account
  --yes                     deploy a matrix, or clean, without asking
  --local                   test the local run instead: the same steps, without deploying
  --settings JSON           with --local, settings that override those of the stage
  --help                    show this help`;

type Values = ReturnType<typeof parse>;

/** Reads the command line. @throws SmokeError with a sentence about the first invalid option. */
export const readSmokeOptions = (args: readonly string[]): SmokeOptions => {
  const values = parse(args);
  if (values.help) return { kind: 'help' };
  if (!values.matrix && (values.vpc !== undefined || values.subnets !== undefined)) {
    throw new SmokeError('--vpc and --subnets work only with --matrix.');
  }
  if (values.yes && !values.matrix && !values.clean)
    throw new SmokeError('--yes works only with --matrix and --clean.');
  if (values.clean) return readClean(values);
  const { matrix, yes } = values;
  if (values.local) {
    const local = readLocal(values);
    return matrix ? { ...local, kind: 'matrix', deployed: undefined, network: undefined, yes } : local;
  }
  const deployed = readDeployed(values);
  if (!matrix) return deployed;
  if (values.keep) throw new SmokeError('--keep does not work with --matrix, whose stages are always deleted.');
  return { kind: 'matrix', stage: deployed.stage, settings: {}, deployed, network: readNetwork(values), yes };
};

const readClean = (values: Values): CleanOptions => {
  const { account, region, yes } = values;
  const used = Object.entries(values).filter(([, value]) => value !== undefined && value !== false);
  const other = used.find(([name]) => !['clean', 'account', 'region', 'yes'].includes(name));
  if (other) throw new SmokeError('--clean takes only --account, --region, and --yes.');
  return { kind: 'clean', account: checkAccount(account), region, yes };
};

const readLocal = (values: Values): LocalOptions => {
  const names = ['account', 'region', 'chat-service-url', 'access-token', 'vpc', 'subnets'];
  if (names.some((name) => Object.hasOwn(values, name))) {
    throw new SmokeError(
      '--local starts its own sandbox and deploys nothing, so it takes only --matrix, --stage, and --settings.',
    );
  }
  return { kind: 'local', stage: values.stage ?? 'dev', settings: readSettings(values.settings) };
};

const readDeployed = ({ stage, account, region, keep, settings, ...values }: Values): DeployedOptions => {
  const chatServiceUrl = values['chat-service-url'];
  if (stage === undefined) throw new SmokeError('--stage is missing. Name a stage of cdk.json, or use --local.');
  const checked = checkAccount(account);
  if (chatServiceUrl === undefined || URL.parse(chatServiceUrl)?.protocol !== 'https:') {
    throw new SmokeError('--chat-service-url must be the https URL of a sandbox that AWS can reach.');
  }
  if (settings !== undefined) throw new SmokeError('--settings works only with --local. Change the stage in cdk.json.');
  return {
    kind: 'deployed',
    stage,
    account: checked,
    region,
    keep,
    chatServiceUrl: chatServiceUrl.replace(/\/+$/, ''),
    accessToken: values['access-token'] ?? 'sandbox-token',
  };
};

const checkAccount = (account: string | undefined): string => {
  if (account !== undefined && /^\d{12}$/.test(account)) return account;
  throw new SmokeError('--account must be the 12 digits of the AWS account that the test may use.');
};

const readNetwork = ({ vpc, subnets }: Values): SmokeNetwork | undefined => {
  if (vpc === undefined && subnets === undefined) return undefined;
  const subnetIds = subnets?.split(',') ?? [];
  const areIds = /^vpc-[0-9a-f]{8,17}$/.test(vpc ?? '') && subnetIds.every((id) => /^subnet-[0-9a-f]{8,17}$/.test(id));
  if (vpc === undefined || subnetIds.length === 0 || !areIds) {
    throw new SmokeError('--vpc and --subnets belong together, such as --vpc vpc-0a1b2c3d --subnets subnet-0a1b2c3d.');
  }
  return { vpcId: vpc, subnetIds };
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
        vpc: { type: 'string' },
        subnets: { type: 'string' },
        keep: { type: 'boolean', default: false },
        matrix: { type: 'boolean', default: false },
        clean: { type: 'boolean', default: false },
        yes: { type: 'boolean', default: false },
        local: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split(/\.\s|\n/);
    throw new SmokeError(`${reason}. Run "npm run smoke -- --help" for usage.`);
  }
};
