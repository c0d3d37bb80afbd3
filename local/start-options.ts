import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { COMMANDS } from '../sandbox/base/command-names.ts';
import { EVENT_FORMAT_NAMES, type EventFormatName } from '../sandbox/base/event-format-names.ts';
import { LocalError, messageOf } from './base/local-error.ts';
import { DEFAULT_PORT, MAX_PORT } from './base/local-ports.ts';

/** The options of `npm start`. */
export interface StartOptions {
  readonly help: boolean;
  readonly stage: string;
  /** The app's stack to run. Undefined for its only ParleyStack, or that of the stage. */
  readonly stackName: string | undefined;
  readonly chatServiceUrl: string | undefined;
  readonly verbose: boolean;
  /** Whether to open the console in the browser. */
  readonly open: boolean;
  /** The console's port; the other servers use the ports after it. 0 for any free ports, undefined for the default. */
  readonly port: number | undefined;
  /** How the sandbox writes events. Undefined for its default. */
  readonly eventFormat: EventFormatName | undefined;
  /** Host names that requests to the webhook may be addressed to besides the loopback names. */
  readonly allowedHosts: readonly string[];
  /** The folder for local.json and the logs. */
  readonly stateFolder: string;
}

export const HELP = `Runs the Parley stack of the CDK app in the current folder on this machine: the synthesized template
and the bundled functions, on emulators of DynamoDB, SQS, Secrets Manager, and EventBridge, with a sandbox of the chat service.
Press Ctrl-C to stop.

Usage: ${COMMANDS.local} [options]

Options:
  --stage NAME              the stage of cdk.json whose settings apply (default: dev, and local
                            in Parley's own repository)
  --stack NAME              the stack to run (default: the app's only ParleyStack, or Parley-STAGE)
  --chat-service-url URL    send to this chat service instead of the sandbox
  --event-format FORMAT     how the sandbox writes events: uppercase (default, the contract's),
                            camelCase, or v1.1
  --allow-host NAME         also accept webhook requests to this host name, such as that of a
                            tunnel from a chat service; can be repeated
  --port NUMBER             the port of the console; the other servers use the eight ports after it
                            (default: ${DEFAULT_PORT}, or the first free one of ${DEFAULT_PORT + 10}, ${DEFAULT_PORT + 20}, ...; 0: any
                            free ports)
  --open                    open the console in the browser
  --verbose                 also print the functions' logs
  --help                    show this help

Environment variables:
  PARLEY_STATE_FOLDER       the folder of local.json, which holds the addresses, and logs/
                            (default: .parley)
  DYNOXIDE_BIN              the path of the DynamoDB emulator (default: the installed one)

Example: ${COMMANDS.local} --port 4000 --open`;

/** Reads the options of `npm start`. @throws LocalError with a sentence about the first invalid option. */
export const readStartOptions = (args: readonly string[], environment: NodeJS.ProcessEnv): StartOptions => {
  const values = parse(args);
  const url = values['chat-service-url'];
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new LocalError(`--chat-service-url is "${url}" but must be a URL such as https://chat-service.example.`);
  }
  const format = values['event-format'];
  const eventFormat = EVENT_FORMAT_NAMES.find((name) => name === format);
  if (format !== undefined && eventFormat === undefined) {
    throw new LocalError(`--event-format is "${format}" but must be ${EVENT_FORMAT_NAMES.join(', ')}.`);
  }
  if (format !== undefined && url !== undefined) {
    throw new LocalError('--event-format is for the sandbox, which --chat-service-url replaces. Pass one of them.');
  }
  for (const name of values['allow-host']) {
    if (/^[a-z0-9.-]+$/i.test(name)) continue;
    throw new LocalError(`--allow-host is "${name}" but must be a host name such as parley.tunnel.example.`);
  }
  const { port } = values;
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= MAX_PORT)) {
    throw new LocalError(`--port is "${port}" but must be a port number from 0 (any free ports) to ${MAX_PORT}.`);
  }
  return {
    help: values.help,
    stage: values.stage,
    stackName: values.stack,
    chatServiceUrl: url?.replace(/\/+$/, ''),
    verbose: values.verbose,
    open: values.open,
    port: port === undefined ? undefined : Number(port),
    eventFormat,
    allowedHosts: values['allow-host'],
    stateFolder: environment.PARLEY_STATE_FOLDER || join(process.cwd(), '.parley'),
  };
};

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        stage: { type: 'string', default: 'dev' },
        stack: { type: 'string' },
        'chat-service-url': { type: 'string' },
        'event-format': { type: 'string' },
        'allow-host': { type: 'string', multiple: true, default: [] },
        verbose: { type: 'boolean', default: false },
        port: { type: 'string' },
        open: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    // The rest of Node's message is about positional arguments, which this command does not have.
    const [reason] = messageOf(error).split(/\.\s|\n/);
    throw new LocalError(`${reason}. Run "${COMMANDS.local} --help" for usage.`);
  }
};
