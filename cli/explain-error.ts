import { CliError } from './cli-error.ts';
import { EXIT } from './exit-codes.ts';
import { ManagementProblem } from './operations/management-client.ts';

/** Whatever was thrown, as a sentence that names the place and the remedy. */
export const explainError = (error: unknown, place = 'AWS'): CliError => {
  if (error instanceof CliError) return error;
  if (error instanceof ManagementProblem) return explainProblem(error, place);
  if (!(error instanceof Error)) return new CliError(EXIT.failed, String(error));
  const { name } = error;
  const message = error.message || codeOf(error) || name;
  if (name === 'CredentialsProviderError' || /could not load credentials/i.test(message)) {
    return new CliError(
      EXIT.noAccess,
      'No AWS credentials were found; sign in (aws sso login, AWS_PROFILE, or AWS_ACCESS_KEY_ID), or use --local.',
    );
  }
  if (/expired/i.test(name) || /token.*(expired|invalid)/i.test(message)) {
    return new CliError(EXIT.noAccess, 'The AWS credentials have expired or are not valid; sign in again.');
  }
  if (/AccessDenied|UnrecognizedClient|InvalidClientTokenId|SignatureDoesNotMatch|AuthFailure/.test(name)) {
    return new CliError(
      EXIT.noAccess,
      `${place} refused these credentials: ${firstSentence(message)} Ask for that permission.`,
    );
  }
  if (isUnreachable(error)) {
    return new CliError(
      EXIT.failed,
      `${place} does not answer (${codeOf(error) ?? name}); ${place === 'the local run' ? 'is npm start still running?' : 'is this machine on the network?'}`,
    );
  }
  return new CliError(EXIT.failed, `${place}: ${firstSentence(message)}`);
};

const explainProblem = ({ status, code, message }: ManagementProblem, place: string): CliError => {
  if (code === 'FORBIDDEN') {
    return new CliError(
      EXIT.noAccess,
      `${message}; these credentials need execute-api:Invoke on that route of ${place} (docs/management-api.md).`,
    );
  }
  if (code === 'UNREACHABLE') {
    const remedy = place === 'the local run' ? 'is npm start still running?' : 'is this machine on the network?';
    return new CliError(EXIT.failed, `The management API of ${place} does not answer; ${remedy}`);
  }
  if (status === 404) return new CliError(EXIT.notFound, message);
  return new CliError(status >= 400 && status < 500 ? EXIT.refused : EXIT.failed, message);
};

const isUnreachable = (error: Error): boolean =>
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|EHOSTUNREACH/.test(`${codeOf(error)} ${error.message}`) ||
  error.name === 'TimeoutError';

const codeOf = (error: Error): string | undefined =>
  'code' in error && typeof error.code === 'string' ? error.code : undefined;

const firstSentence = (text: string): string => {
  const [line = ''] = text.split('\n');
  return line.endsWith('.') ? line : `${line}.`;
};
