import { readFile, stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { pageListOf } from '../../lambdas/domain/history-formats/history-formats.ts';
import { elementsAt, memberAt } from '../../lambdas/domain/json-spans.ts';
import { parseJson } from '../../lambdas/domain/schema.ts';
import { isFields } from '../../lambdas/domain/webhook-formats/webhook-format.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError, EXIT, explainFileError } from '../base/errors.ts';
import { type RefusedRows, recordRefusal } from '../broadcast/refused-rows.ts';

/** An entry with its own text, and the number of its line, or of the entry in a JSON document. */
export interface HistoryEntry {
  readonly text: string;
  readonly number: number;
}

/** The entries of a file, and what is none of them. */
export interface History {
  readonly entries: readonly HistoryEntry[];
  readonly unreadable: RefusedRows;
  /** What the numbers count. */
  readonly noun: readonly [string, string];
}

/** Standard input, in place of a file. */
export const STANDARD_INPUT = '-';

/** A file is read at once, to tell a JSON document from JSON Lines. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Reads a file, or standard input, as text.
 *
 * @throws CliError if there is none, or it is empty, too large, or not UTF-8.
 */
export const readText = async (file: string, stdin: CommandContext['stdin']): Promise<string> => {
  const name = nameOf(file);
  const bytes = file === STANDARD_INPUT ? await buffer(stdin) : await readBytes(file);
  if (bytes.byteLength > MAX_BYTES) throw tooLarge(name);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CliError(
      EXIT.usage,
      `${name} is not UTF-8 text. Decompress it if it is compressed, or convert it to UTF-8.`,
    );
  }
  if (text.trim() === '') throw new CliError(EXIT.usage, `${name} is empty. Provide the chat service's history.`);
  return text;
};

/** How messages name a file. */
export const nameOf = (file: string): string => (file === STANDARD_INPUT ? 'The standard input' : file);

const readBytes = async (file: string): Promise<Buffer> => {
  try {
    if ((await stat(file)).size > MAX_BYTES) throw tooLarge(file);
    return await readFile(file);
  } catch (error) {
    throw error instanceof CliError ? error : explainFileError(file, error);
  }
};

const tooLarge = (name: string): CliError =>
  new CliError(
    EXIT.usage,
    `${name} is larger than ${MAX_BYTES / 1024 / 1024} MiB. Write it as JSON Lines, and split it into several files.`,
  );

/**
 * Finds the entries of a history: in one JSON document, which is an entry, a page, or an array of them, or in JSON Lines,
 * with an entry or a page per line.
 *
 * @throws CliError if the text is neither.
 */
export const findEntries = (file: string, text: string): History => {
  const document = parseJson(text);
  const history =
    document === undefined
      ? inLines(text)
      : {
          entries: entriesOf(document, text).map((entry, index) => ({ text: entry, number: index + 1 })),
          unreadable: {},
          noun: ['entry', 'entries'] as const,
        };
  if (history.entries.length > 0) return history;
  throw new CliError(
    EXIT.usage,
    document === undefined
      ? `${nameOf(file)} is neither JSON nor JSON Lines, so nothing was imported. Provide the history as the chat service's ` +
          'API returned it, or one entry per line.'
      : `${nameOf(file)} has no entries. Provide pages or entries of the chat service's history.`,
  );
};

const inLines = (text: string): History => {
  const entries: HistoryEntry[] = [];
  const unreadable: RefusedRows = {};
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const number = index + 1;
    const value = parseJson(line);
    if (value === undefined) recordRefusal(unreadable, 'It is not JSON.', number);
    else if (!isFields(value) && !Array.isArray(value)) recordRefusal(unreadable, 'It is not a JSON object.', number);
    else entries.push(...entriesOf(value, line).map((entry) => ({ text: entry, number })));
  }
  return { entries, unreadable, noun: ['line', 'lines'] };
};

/** Returns the texts of the entries in a value. `text` is its JSON. */
const entriesOf = (value: unknown, text: string): readonly string[] => {
  const list = pageListOf(value);
  const elements = list === undefined ? value : isFields(value) && value[list];
  if (!Array.isArray(elements)) return [text.trim()];
  const texts = elementsAt(text, list === undefined ? text.indexOf('[') : memberAt(text, list));
  // A file can be an array of pages.
  return texts.flatMap((each, index) => entriesOf(elements[index], each));
};
