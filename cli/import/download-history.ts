import { setTimeout as pause } from 'node:timers/promises';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { z } from 'zod';
import { addMs, type Instant, parseInstant } from '../../lambdas/domain/instant.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError, EXIT } from '../base/errors.ts';
import type { Target } from '../base/target.ts';
import { findEntries, type History } from './read-history.ts';

/** A page of `POST message/download`. */
const page = z.looseObject({ hasMore: z.boolean(), messages: z.array(z.unknown()) });

/** Source: practice of the services that offer it; see docs/importing.md. */
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;
const MINUTE_MS = 60_000;
const TIMEOUT_MS = 60_000;
/** Half a million messages: more than a service that ends would have in a week. */
const MAX_PAGES = 1_000;

/** Where the history is, and from when on it is read. */
export interface HistorySource {
  readonly chatServiceUrl: string;
  readonly since: Instant;
  readonly now: Instant;
}

/**
 * Parses `--since`.
 *
 * @throws CliError if it is not a time within the last week.
 */
export const parseSince = (text: string | undefined, now: Instant): Instant => {
  const since = parseInstant(text);
  if (since === undefined) {
    throw new CliError(
      EXIT.usage,
      'With --from-service, add --since with a time and its offset, such as 2026-11-20T06:00:00Z.',
    );
  }
  if (since > now || since < addMs(now, MINUTE_MS - MAX_AGE_MS)) {
    throw new CliError(EXIT.usage, `--since ${text} must be within the past week.`);
  }
  return since;
};

/**
 * Reads the history page by page with the stage's access token. The service keeps the cursor, and continues it for the same
 * time, so each run asks for a time of its own: what an interrupted run has read is read again.
 *
 * @throws CliError if the service refuses a call or does not answer, and after Ctrl-C.
 */
export const downloadHistory = async (
  { say, stop, commandFor }: Pick<CommandContext, 'say' | 'stop' | 'commandFor'>,
  target: Pick<Target, 'secretsManager' | 'addresses'>,
  { chatServiceUrl, since, now }: HistorySource,
): Promise<History> => {
  const setToken = commandFor('parley token set');
  const accessToken = await readAccessToken(target);
  if (accessToken === '') {
    throw new CliError(EXIT.notFound, `The stage has no access token. Set it with ${setToken}.`);
  }
  const url = `${chatServiceUrl}/api/v1.0/message/download`;
  const body = JSON.stringify({ fromDate: addMs(since, -(Date.parse(now) % MINUTE_MS)) });
  const pages: string[] = [];
  let entries = 0;
  for (let hasMore = true; hasMore; ) {
    if (stop.aborted) throw new CliError(EXIT.interrupted, 'Interrupted. Nothing was imported.');
    if (pages.length === MAX_PAGES) {
      throw new CliError(EXIT.failed, `The history does not end after ${MAX_PAGES} pages. Use a later --since.`);
    }
    const answer = await call(url, accessToken, body, stop);
    if (answer.status === 401) {
      throw new CliError(EXIT.noAccess, `The chat service refuses the access token. Set it with ${setToken}.`);
    }
    if (answer.status !== 200) throw refusalOf(answer.status);
    const { text } = answer;
    const read = page.safeParse(parse(text));
    if (!read.success) {
      throw new CliError(
        EXIT.failed,
        'The chat service returned an unexpected response from message/download; expected {hasMore, messages, count}. Save ' +
          'its history to a file, and import the file.',
      );
    }
    ({ hasMore } = read.data);
    entries += read.data.messages.length;
    // A page that is empty is the last one, whatever it says.
    if (read.data.messages.length === 0) hasMore = false;
    else pages.push(text);
    say(`Read ${entries} entries of the chat service's history.`);
  }
  if (pages.length === 0) {
    throw new CliError(EXIT.notFound, `The chat service has no history since ${since}. Nothing was imported.`);
  }
  return findEntries('The history', `[${pages.join(',')}]`);
};

const readAccessToken = async ({
  secretsManager,
  addresses,
}: Pick<Target, 'secretsManager' | 'addresses'>): Promise<string> => {
  const { SecretString } = await secretsManager.send(
    new GetSecretValueCommand({ SecretId: addresses.accessTokenSecretId }),
  );
  return SecretString?.trim() ?? '';
};

const MAX_ATTEMPTS = 3;

/** Repeats only a call that was refused for its rate, because the service counts any other as read. */
const call = async (
  url: string,
  accessToken: string,
  body: string,
  stop: AbortSignal,
): Promise<{ readonly status: number; readonly text: string }> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'access-token': accessToken, 'content-type': 'application/json', accept: 'application/json' },
        body,
        redirect: 'error',
        signal: AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      if (response.status !== 429 || attempt === MAX_ATTEMPTS) {
        return { status: response.status, text: await response.text() };
      }
    } catch {
      if (stop.aborted) throw new CliError(EXIT.interrupted, 'Interrupted. Nothing was imported.');
      throw new CliError(EXIT.failed, 'The chat service did not answer message/download. Run the command again.');
    }
    await pause(1_000 * 2 ** attempt);
  }
};

/** Quotes nothing of the answer, because it can repeat the token. */
const refusalOf = (status: number): CliError => {
  if (status === 404) {
    return new CliError(EXIT.refused, 'The chat service does not offer message/download. Import a file instead.');
  }
  return new CliError(
    EXIT.failed,
    `The chat service answered message/download with HTTP ${status}. Run the command again, or import a file.`,
  );
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
