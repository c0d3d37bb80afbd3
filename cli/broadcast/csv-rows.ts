import { createReadStream } from 'node:fs';
import { CsvError, parse } from 'csv-parse';
import { z } from 'zod';
import { CliError, EXIT, explainFileError } from '../base/errors.ts';

export interface CsvFile {
  readonly file: string;
  readonly delimiter: string;
}

/** A row's values by column. */
export type Row = Readonly<Record<string, string>>;

/** A row with its number, which starts at 1 and does not count the header. */
export interface NumberedRow {
  readonly number: number;
  readonly row: Row;
}

/**
 * Reads a CSV file row by row, with only a few rows in memory.
 *
 * @param onHeader Called with the column names before the first row.
 * @param onBytes Called with each chunk of the file.
 * @throws CliError for an unreadable file or an invalid row.
 */
export async function* csvRows(
  { file, delimiter }: CsvFile,
  onHeader: (header: readonly string[]) => void = () => {},
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
    if (error instanceof CsvError) throw explainCsvError(file, error);
    throw explainFileError(file, error);
  } finally {
    source.destroy();
  }
}

const checkHeader = (file: string, header: readonly string[]): void => {
  const unnamed = header.indexOf('');
  if (unnamed >= 0) {
    throw new CliError(EXIT.usage, `${file}: column ${unnamed + 1} has no name in the header. Add one.`);
  }
  const duplicate = header.find((column, index) => header.indexOf(column) < index);
  if (duplicate !== undefined) {
    throw new CliError(EXIT.usage, `${file}: more than one column is named "${duplicate}". Rename one of them.`);
  }
};

/** What csv-parse reports for a row with too few or too many columns. */
const inconsistentRow = z.object({ columns: z.array(z.object({ name: z.string() })), record: z.array(z.unknown()) });

const explainCsvError = (file: string, error: CsvError): CliError => {
  const { code, message } = error;
  // The parser reads ahead of the caller, so only the error knows the row.
  const { lines, records } = { lines: undefined, records: undefined, ...error };
  const position = `${file}, row ${Number(records) + 1} (line ${lines})`;
  const invalid = (fault: string) =>
    new CliError(EXIT.usage, `${position}: ${fault}. Fix the row and run the command again.`);
  if (code === 'CSV_QUOTE_NOT_CLOSED') return invalid('a quotation mark is not closed');
  const read = inconsistentRow.safeParse(error);
  if (code !== 'CSV_RECORD_INCONSISTENT_COLUMNS' || !read.success) return invalid(message.split('\n')[0] ?? '');
  const { columns, record } = read.data;
  const counts = `found ${record.length}, expected ${columns.length}`;
  const missing = columns[record.length];
  return missing
    ? invalid(`column "${missing.name}" is missing (${counts})`)
    : invalid(`too many columns (${counts}); enclose values that contain the delimiter in quotation marks`);
};
