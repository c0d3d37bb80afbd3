import { Readable } from 'node:stream';
import { run, type Terminal } from '../../cli/run.ts';

type CommandLine = Partial<Pick<Terminal, 'columns' | 'environment' | 'root' | 'stdin' | 'stop'>>;

/** Runs a command line of `parley`. Returns its exit code and output. */
export const runCommandLine = async (args: readonly string[], options: CommandLine = {}) => {
  const printed: string[] = [];
  const said: string[] = [];
  const code = await run({
    args,
    environment: {},
    stdin: Readable.from(['']),
    print: (text) => printed.push(text),
    say: (line) => said.push(line),
    stop: new AbortController().signal,
    root: '/',
    ...options,
  });
  return { code, out: printed.join('\n'), err: said.join('\n') };
};

export interface ParleyRun {
  /** The folder of the local run's state. */
  readonly stateFolder: string;
  /** The folder that relative paths start from. @default the state folder */
  readonly root?: string;
  readonly stdin?: string | Terminal['stdin'];
  readonly stop?: AbortSignal;
}

/** Runs a command line of `parley --local`. Returns its exit code and output. */
export const runParley = (
  args: readonly string[],
  { stateFolder, root = stateFolder, stdin = '', stop = new AbortController().signal }: ParleyRun,
) =>
  runCommandLine([...args, '--local'], {
    environment: { PARLEY_STATE_FOLDER: stateFolder },
    stdin: typeof stdin === 'string' ? Readable.from([stdin]) : stdin,
    stop,
    root,
  });
