import type { ExitCode } from './exit-codes.ts';

/** The message is shown alone: a sentence that names the place and the remedy. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}
