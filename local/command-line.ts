import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LocalError, messageOf } from './local-error.ts';
import { ROOT } from './synthesis.ts';

/** What `npm start` is asked to do. */
export interface StartCommand {
  readonly help: boolean;
  readonly stage: string;
  readonly chatServiceUrl: string | undefined;
  readonly verbose: boolean;
  /** Whether the console is opened in the browser. */
  readonly open: boolean;
  readonly port: number | undefined;
  /** Where the run leaves its addresses and logs. */
  readonly stateFolder: string;
}

export const HELP = `npm start -- [options]

Runs Parley's stack on this machine, with a sandbox of the chat service and its console: the
synthesized template and the bundled functions, on emulators of DynamoDB, SQS and Secrets
Manager. Ctrl-C ends it.

  --stage NAME              the stage of cdk.json whose settings apply (default: dev)
  --chat-service-url URL    send to this service instead of the sandbox
  --open                    open the console in the browser
  --verbose                 show the functions' logs here as well
  --help                    this text

Environment variables:

  PARLEY_PORT               the port of console and sandbox (default: a free one)
  PARLEY_STATE_FOLDER       where local.json, with the addresses, and logs/ go (default: .parley)
  DYNOXIDE_BIN              the DynamoDB emulator's binary (default: the installed one)

Example: PARLEY_PORT=4000 npm start -- --verbose
`;

/** Reads the arguments of `npm start` and its environment. @throws LocalError with a sentence on the first fault. */
export const readCommandLine = (args: readonly string[], environment: NodeJS.ProcessEnv): StartCommand => {
  const values = parse(args);
  const url = values['chat-service-url'];
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new LocalError(`--chat-service-url is "${url}" but must be an address such as https://chat-service.example.`);
  }
  const port = environment.PARLEY_PORT;
  if (port && (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)) {
    throw new LocalError(`PARLEY_PORT is "${port}" but must be a port number from 0 (a free one) to 65535.`);
  }
  return {
    help: values.help,
    stage: values.stage,
    chatServiceUrl: url?.replace(/\/+$/, ''),
    verbose: values.verbose,
    open: values.open,
    port: port ? Number(port) : undefined,
    stateFolder: environment.PARLEY_STATE_FOLDER || join(ROOT, '.parley'),
  };
};

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        stage: { type: 'string', default: 'dev' },
        'chat-service-url': { type: 'string' },
        verbose: { type: 'boolean', default: false },
        open: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    // Node's own message goes on about positional arguments, which this command has none of.
    const [reason] = messageOf(error).split(/\.\s|\n/);
    throw new LocalError(`${reason}; see npm start -- --help.`);
  }
};
