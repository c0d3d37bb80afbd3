import { createReadStream } from 'node:fs';
import { CsvError, parse } from 'csv-parse';
import { z } from 'zod';
import { CliError } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';
import { unreadable } from '../read-text.ts';
import type { Row } from './plan.ts';

export interface CsvFile {
  readonly file: string;
  readonly delimiter: string;
}

/** A row, and the number that it has without the heading, from 1. */
export interface NumberedRow {
  readonly number: number;
  readonly row: Row;
}

/**
 * Reads a CSV file row by row; no more than a few rows are in memory.
 *
 * @param onBytes Sees the file's bytes as they go by.
 * @throws CliError that names the row which is no row.
 */
export async function* csvRows(
  { file, delimiter }: CsvFile,
  onHeader: (header: readonly string[]) => void,
  onBytes: (bytes: Buffer) => void = () => {},
): AsyncGenerator<NumberedRow> {
  const parser = parse({
    bom: true,
    delimiter,
    skip_empty_lines: true,
    trim: true,
    columns: (header: string[]) => {
      checkHeader(file, header);
      onHeader(header);
      return header;
    },
  });
  const source = createReadStream(file);
  source.on('data', (bytes) => onBytes(Buffer.from(bytes)));
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  let number = 0;
  try {
    for await (const row of parser) {
      number += 1;
      yield { number, row };
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (error instanceof CsvError) throw faultyRow(file, error);
    throw unreadable(file, error);
  } finally {
    source.destroy();
  }
}

const checkHeader = (file: string, header: readonly string[]): void => {
  const unnamed = header.indexOf('');
  if (unnamed >= 0) {
    throw new CliError(EXIT.usage, `${file}: column ${unnamed + 1} of the heading has no name; give it one.`);
  }
  const twice = header.find((column, index) => header.indexOf(column) < index);
  if (twice !== undefined) {
    throw new CliError(EXIT.usage, `${file}: the heading names the column "${twice}" twice; rename one.`);
  }
};

/** What csv-parse tells of a record with too few or too many columns. */
const faultyRecord = z.object({ columns: z.array(z.object({ name: z.string() })), record: z.array(z.unknown()) });

const faultyRow = (file: string, error: CsvError): CliError => {
  const { code, message } = error;
  // The parser is ahead of whoever reads from it, so it alone knows the row.
  const { lines, records } = { lines: undefined, records: undefined, ...error };
  const place = `${file}, row ${Number(records) + 1} (line ${lines})`;
  const faulty = (what: string) => new CliError(EXIT.usage, `${place}: ${what}. Mend the row and start again.`);
  if (code === 'CSV_QUOTE_NOT_CLOSED') return faulty('a quotation mark is opened and not closed');
  const read = faultyRecord.safeParse(error);
  if (code !== 'CSV_RECORD_INCONSISTENT_COLUMNS' || !read.success) return faulty(message.split('\n')[0] ?? '');
  const { columns, record } = read.data;
  const counts = `it has ${record.length} where the heading has ${columns.length}`;
  const missing = columns[record.length];
  return missing
    ? faulty(`the column "${missing.name}" is missing: ${counts}`)
    : faulty(`there are too many columns: ${counts}; a text that holds the delimiter needs quotation marks`);
};
