import { core } from 'zod/mini';
import { ManagementError } from '../operations/management-client.ts';
import { describeFaults, type FieldSources } from './request-fields.ts';

/** The exit codes of `parley`, for scripts. */
export const EXIT = {
  done: 0,
  /** A service, the network, or the machine failed. */
  failed: 1,
  /** The command line, an input file, or the request is invalid. Nothing was done. */
  usage: 2,
  notFound: 3,
  /** The request was understood and refused. */
  refused: 4,
  /** Access was denied, or the target was not found: credentials, permissions, stack, or local run. */
  noAccess: 5,
  /** Part of the work was done, or something was found; the output lists it. */
  partial: 6,
  /** Interrupted by Ctrl-C. */
  interrupted: 130,
  /** Standard output was closed early, such as by `head`: what a shell reports for a program that SIGPIPE ends. */
  outputClosed: 141,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends the command. The message is printed alone on one line: it says what is wrong and what to do. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Explains why a file cannot be read. */
export const explainFileError = (file: string, error: unknown): CliError => {
  const code = error instanceof Error ? codeOf(error) : undefined;
  if (code === 'ENOENT') return new CliError(EXIT.usage, `${file} does not exist. Check the path.`);
  if (code === 'EISDIR') return new CliError(EXIT.usage, `${file} is a directory. Provide the path of a file.`);
  if (code === 'EACCES') return new CliError(EXIT.usage, `${file} is not readable. Change its permissions.`);
  return new CliError(EXIT.failed, `Cannot read ${file}: ${firstLine(messageOf(error))}`);
};

/** What a failed call was made to. */
interface Callee {
  readonly name: string;
  readonly isLocal: boolean;
}

/**
 * Turns any error into one that says what is wrong and what to do.
 *
 * @param sources what filled the fields of the request that failed
 */
export const explainError = (
  error: unknown,
  callee: Callee = { name: 'AWS', isLocal: false },
  sources: FieldSources = {},
): CliError => {
  if (error instanceof CliError) return error;
  if (error instanceof ManagementError) return explainManagementError(error, callee, sources);
  if (!(error instanceof Error)) return new CliError(EXIT.failed, String(error));
  const { name } = error;
  if (error instanceof core.$ZodError) {
    const at = error.issues[0]?.path.join('.') ?? '';
    return new CliError(
      EXIT.failed,
      `${callee.name} answered in a form that this version of parley does not know${at === '' ? '' : ` (at ${at})`}. ` +
        `${callee.isLocal ? 'Restart npm start.' : 'Deploy this version, or use the version of parley that is deployed.'}`,
    );
  }
  if (name === 'AbortError') return new CliError(EXIT.interrupted, 'Interrupted. Nothing was changed.');
  const message = messageOf(error);
  if (name === 'CredentialsProviderError' || /could not load credentials/i.test(message)) {
    return new CliError(
      EXIT.noAccess,
      'No AWS credentials found. Sign in (aws sso login, AWS_PROFILE, or AWS_ACCESS_KEY_ID), or use --local.',
    );
  }
  if (/expired/i.test(name) || /token.*(expired|invalid)/i.test(message)) {
    return new CliError(EXIT.noAccess, 'Your AWS credentials are expired or invalid. Sign in again.');
  }
  if (/AccessDenied|UnrecognizedClient|InvalidClientTokenId|SignatureDoesNotMatch|AuthFailure/.test(name)) {
    return new CliError(
      EXIT.noAccess,
      `Access denied by ${callee.name}: ${firstLine(message)} Ask an administrator to grant access.`,
    );
  }
  if (isConnectionError(error)) {
    return new CliError(
      EXIT.failed,
      `Cannot connect to ${callee.name} (${codeOf(error) ?? name}). ${connectionAdvice(callee)}`,
    );
  }
  return new CliError(EXIT.failed, `Unexpected error (${callee.name}): ${firstLine(message)}`);
};

const explainManagementError = (
  { status, code, message, faults }: ManagementError,
  callee: Callee,
  sources: FieldSources,
): CliError => {
  if (code === 'FORBIDDEN') {
    return new CliError(
      EXIT.noAccess,
      `${message}. Your credentials need execute-api:Invoke on this route (see docs/management-api.md).`,
    );
  }
  if (code === 'UNREACHABLE') {
    return new CliError(
      EXIT.failed,
      `Cannot connect to the management API of ${callee.name}. ${connectionAdvice(callee)}`,
    );
  }
  if (code === 'INVALID_REQUEST') {
    return new CliError(EXIT.usage, faults.length === 0 ? message : describeFaults(faults, sources));
  }
  if (status === 404) return new CliError(EXIT.notFound, message);
  return new CliError(status >= 400 && status < 500 ? EXIT.refused : EXIT.failed, message);
};

const connectionAdvice = ({ isLocal }: Callee): string =>
  isLocal
    ? 'It has stopped or does not respond. Start it again with npm start.'
    : 'Check your network connection, and whether the stack still exists.';

const isConnectionError = (error: Error): boolean =>
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|EHOSTUNREACH/.test(`${codeOf(error)} ${error.message}`) ||
  error.name === 'TimeoutError';

const codeOf = (error: Error): string | undefined =>
  'code' in error && typeof error.code === 'string' ? error.code : undefined;

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message || codeOf(error) || error.name : String(error);

const firstLine = (text: string): string => {
  const [line = ''] = text.split('\n');
  return line.endsWith('.') ? line : `${line}.`;
};
