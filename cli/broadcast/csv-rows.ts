import { Readable } from 'node:stream';
import { CsvError, type Options, parse } from 'csv-parse';
import { parse as parseAll } from 'csv-parse/sync';
import { count } from '../base/command.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { type DecodedText, readTextFile } from '../base/text-file.ts';

/** A file, and how it is written if the operator says so. */
export interface CsvFile {
  readonly file: string;
  /** @default recognized by the header */
  readonly delimiter?: string | undefined;
  /** @default recognized by the byte order mark, or UTF-8 */
  readonly encoding?: string | undefined;
}

/** A CSV file that has been read, so that a change of the file between two passes changes nothing. */
export interface CsvTable {
  readonly file: string;
  readonly encoding: string;
  readonly delimiter: string;
  readonly header: readonly string[];
  /** How many columns the header has, with the unnamed ones at its end, with which a spreadsheet pads all rows. */
  readonly width: number;
  /** The file in UTF-8. */
  readonly bytes: Buffer;
}

/** A row's values by column. */
export type Row = Readonly<Record<string, string>>;

/** A row with its number, as a spreadsheet shows it: the header is row 1. */
export interface NumberedRow {
  readonly number: number;
  readonly row: Row;
  /** What is wrong with the row as a whole. */
  readonly fault?: string;
}

/**
 * Reads a CSV file and its header.
 *
 * @param contactColumn the column that shows which delimiter is right
 * @throws CliError for an unreadable file, bytes that are not text in its encoding, and an invalid header.
 */
export const readCsv = async (
  { file, delimiter: stated, encoding: statedEncoding }: CsvFile,
  contactColumn: string,
): Promise<CsvTable> => {
  const decoded = await readTextFile(file, statedEncoding);
  // Excel reads the delimiter from such a line, and does not show it.
  const [marker = '', named] = /^sep=(.)\r?\n/.exec(decoded.text) ?? [];
  const bytes = Buffer.from(decoded.text.slice(marker.length));
  const delimiter = stated ?? named ?? recognizeDelimiter(bytes, contactColumn);
  if (decoded.isDamaged) throw describeDamage(file, decoded, damagedCell(decoded.text.slice(marker.length), delimiter));
  const columns = readHeader(bytes, delimiter) ?? [];
  const header = columns.slice(0, columns.findLastIndex((column) => column !== '') + 1);
  checkHeader(file, header);
  return { file, encoding: decoded.encoding, delimiter, header, width: columns.length, bytes };
};

const FORMAT = {
  // All of them, because files that were edited on several systems mix them.
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  skip_empty_lines: true,
  trim: true,
} as const satisfies Options;

const DELIMITERS = [',', ';', '\t', '|'] as const;

/** The header is in the first bytes of the file. */
const HEADER_BYTES = 64 * 1024;

const readHeader = (bytes: Buffer, delimiter: string): readonly string[] | undefined => {
  try {
    const [header = []] = parseAll(bytes.subarray(0, HEADER_BYTES), { ...FORMAT, delimiter, to: 1 });
    return header.map((column) => column.trim());
  } catch {
    return undefined;
  }
};

/** Returns the delimiter with which the header has the contact column, or else the most columns. */
const recognizeDelimiter = (bytes: Buffer, contactColumn: string): string => {
  const headers = DELIMITERS.map((delimiter) => ({ delimiter, header: readHeader(bytes, delimiter) ?? [] }));
  const [most] = headers.toSorted((one, other) => other.header.length - one.header.length);
  const withContacts = headers.filter(({ header }) => header.includes(contactColumn));
  const [best] = withContacts.toSorted((one, other) => other.header.length - one.header.length);
  return (best ?? most)?.delimiter ?? ',';
};

/** Reads the rows, with only a few in memory. */
export async function* csvRows({ file, delimiter, header, width, bytes }: CsvTable): AsyncGenerator<NumberedRow> {
  const parser = parse({ ...FORMAT, delimiter, info: true });
  const source = Readable.from(chunksOf(bytes)).pipe(parser);
  let isHeader = true;
  try {
    for await (const { record, info } of source) {
      if (isHeader) isHeader = false;
      else if (record.some((value: string) => value !== '')) {
        yield { number: info.records + info.empty_lines, ...toRow(header, width, record) };
      }
    }
  } catch (error) {
    throw error instanceof CsvError ? explainCsvError(file, error) : error;
  } finally {
    parser.destroy();
  }
}

const CHUNK_BYTES = 64 * 1024;

/** The parser keeps the rows of a chunk until they are read. */
function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) yield bytes.subarray(start, start + CHUNK_BYTES);
}

const toRow = (header: readonly string[], width: number, values: readonly string[]): Omit<NumberedRow, 'number'> => {
  const row = Object.fromEntries(header.map((column, index) => [column, values[index] ?? '']));
  const counts = `${count(values.length, 'column')}, but the header has ${header.length}`;
  if (values.length < header.length) return { row, fault: `has ${counts}; column ${header[values.length]} is missing` };
  // An empty value at the end is no proof of padding: the values before it may have moved.
  return values.length > width || values.slice(header.length).some((value) => value !== '')
    ? { row, fault: `has ${counts}; enclose values that contain the delimiter in quotation marks` }
    : { row };
};

const checkHeader = (file: string, header: readonly string[]): void => {
  if (header.length === 0) throw noRows(file);
  const unnamed = header.indexOf('');
  if (unnamed >= 0) {
    throw new CliError(EXIT.usage, `${file}: column ${unnamed + 1} has no name in the header. Add one.`);
  }
  const duplicate = header.find((column, index) => header.indexOf(column) < index);
  if (duplicate !== undefined) {
    throw new CliError(EXIT.usage, `${file}: more than one column is named "${duplicate}". Rename one of them.`);
  }
};

export const noRows = (file: string): CliError =>
  new CliError(
    EXIT.usage,
    `${file} has no rows. The first line must name the columns, and each line after it is a message.`,
  );

const explainCsvError = (file: string, error: CsvError): CliError => {
  // The parser reads ahead of the caller, so only the error knows the row.
  const { lines, records, empty_lines } = { lines: undefined, records: 0, empty_lines: 0, ...error };
  const position = `${file}, row ${Number(records) + Number(empty_lines) + 1} (line ${lines})`;
  const fault =
    error.code === 'CSV_QUOTE_NOT_CLOSED' ? 'a quotation mark is not closed' : (error.message.split('\n')[0] ?? '');
  return new CliError(EXIT.usage, `${position}: ${fault}. Fix the row and run the command again.`);
};

/** Returns where the first damaged cell is. Undefined if the text cannot be parsed. */
const damagedCell = (text: string, delimiter: string): string | undefined => {
  try {
    const records = parseAll(text, { ...FORMAT, delimiter, relax_quotes: true, skip_empty_lines: false });
    const row = records.findIndex((record) => record.some((value) => value.includes('\ufffd')));
    const column = records[row]?.findIndex((value) => value.includes('\ufffd')) ?? 0;
    const name = row > 0 ? (records[0]?.[column] ?? '') : '';
    return `row ${row + 1}, column ${column + 1}${name && ` (${name})`}: "${records[row]?.[column]}"`;
  } catch {
    return undefined;
  }
};

const describeDamage = (file: string, { text, encoding }: DecodedText, cell: string | undefined): CliError => {
  const lines = text.slice(0, text.indexOf('\ufffd')).split(/\r\n|\n|\r/);
  return new CliError(
    EXIT.usage,
    `${file} is not valid ${encoding.toUpperCase()}: ${cell ?? `line ${lines.length}`}. Export the file as "CSV UTF-8", ` +
      'or add its encoding: --encoding windows-1252.',
  );
};
