import { createInterface } from 'node:readline';
import type { CommandContext } from './command.ts';
import { CliError, EXIT } from './errors.ts';

/**
 * Asks a question on the terminal, and returns if the answer is yes.
 *
 * @param otherwise what was not done, as a sentence
 * @throws CliError for any other answer, without a terminal, and after Ctrl-C.
 */
export const confirm = async (
  { stdin, say, stop }: Pick<CommandContext, 'stdin' | 'say' | 'stop'>,
  question: string,
  otherwise: string,
): Promise<void> => {
  if (stdin.isTTY !== true) {
    throw new CliError(EXIT.usage, `${otherwise} There is no terminal to ask for confirmation. Add --yes.`);
  }
  say(`${question} [y/N]`);
  const answer = await readLine(stdin, stop);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError(EXIT.interrupted, otherwise);
};

/** Returns an empty line at the end of the input, and after Ctrl-C. */
const readLine = (stdin: CommandContext['stdin'], stop: AbortSignal): Promise<string> => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const lines = createInterface({ input: stdin });
  const close = () => lines.close();
  stop.addEventListener('abort', close, { once: true });
  lines.once('line', (line) => {
    resolve(line);
    close();
  });
  lines.once('close', () => {
    stop.removeEventListener('abort', close);
    resolve('');
  });
  return promise;
};
