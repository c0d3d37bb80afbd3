import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Whether a command of another language can be run. */
const works = (command: string, args: readonly string[]): Promise<boolean> =>
  execute(command, [...args]).then(
    () => true,
    () => false,
  );

/** A tool that the examples of a language need, and how to install it. */
export interface Tool {
  readonly command: string;
  /** Arguments with which the command succeeds if it is complete. */
  readonly check: readonly string[];
  readonly missing: string;
}

/** Returns a sentence about the first tool that is missing, or undefined. */
export const missingTool = async (tools: readonly Tool[]): Promise<string | undefined> => {
  for (const { command, check, missing } of tools) if (!(await works(command, check))) return missing;
  return undefined;
};

/** What pip and Maven print if they cannot reach a registry. A wrong hash or version is not among it. */
const UNREACHABLE =
  /name resolution|NewConnectionError|ConnectTimeoutError|ReadTimeoutError|Max retries exceeded|Unknown host|Connection (?:refused|timed out|reset)|Network is unreachable|No route to host|transfer failed for https|offline mode|status code:? 5\d\d/i;

/**
 * Runs a command that installs packages. Returns a sentence if the registry cannot be reached.
 *
 * @throws Error if the installation fails for another reason
 */
export const install = async (
  command: string,
  args: readonly string[],
  { cwd, registry }: { readonly cwd: string; readonly registry: string },
): Promise<string | undefined> => {
  try {
    await execute(command, [...args], { cwd, maxBuffer: 64 * 1024 * 1024 });
    return undefined;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    const output = `${stdout}${stderr}`;
    if (UNREACHABLE.test(output)) {
      return `${command} cannot reach ${registry}. Connect to it, or configure a mirror, and run the tests again.`;
    }
    throw new Error(`${command} ${args.join(' ')} failed: ${output.slice(-3_000)}`, { cause: error });
  }
};

/** Prints why tests are skipped, so that no report of passed tests conceals it. */
export const printSkipped = (what: string, reason: string): void => {
  process.stderr.write(`\nSkipped: ${what}. ${reason}\n`);
};
