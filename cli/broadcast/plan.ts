import { createHash } from 'node:crypto';
import { CliError, EXIT } from '../base/errors.ts';
import type { MessageFields } from '../base/message-options.ts';
import { type CsvFile, csvRows } from './csv-rows.ts';
import { type RefusedRows, recordRefusal } from './refused-rows.ts';
import { createRequest, createTemplate, type MessageTemplate, type RowRequest } from './template.ts';

/** A CSV file that has been checked completely. */
export interface BroadcastPlan {
  readonly template: MessageTemplate;
  readonly rows: number;
  /** Rows that make no valid send request. */
  readonly refused: RefusedRows;
  /** The first rows with their requests. */
  readonly preview: readonly PreviewedRow[];
  /** The number of the first row that makes a request; 0 if there is none. */
  readonly firstSendable: number;
  /** Derived from the file and the message, so that repeating a broadcast produces the same request IDs. */
  readonly contentId: string;
}

export interface PreviewedRow {
  readonly number: number;
  readonly request: RowRequest;
}

const PREVIEWED_ROWS = 3;

/** The message, and the column with the contact. */
export interface PlannedMessage {
  readonly contactColumn: string;
  readonly fields: MessageFields;
}

/**
 * Reads the whole file once, so that an error in the last row is found before the first row is queued.
 *
 * @throws CliError for an invalid file, or one without rows.
 */
export const planBroadcast = async (
  csv: CsvFile,
  { contactColumn, fields }: PlannedMessage,
): Promise<BroadcastPlan> => {
  const digest = createHash('sha256');
  const read: { template?: MessageTemplate } = {};
  let rows = 0;
  let firstSendable = 0;
  const refused: RefusedRows = {};
  const preview: PreviewedRow[] = [];
  const onHeader = (header: readonly string[]) => {
    read.template = createTemplate(csv.file, header, contactColumn, fields);
  };
  for await (const { number, row } of csvRows(csv, onHeader, (bytes) => digest.update(bytes))) {
    rows = number;
    if (!read.template) continue;
    const request = createRequest(read.template, row, 'dry-run');
    if (request.kind === 'refused') recordRefusal(refused, request.why, number);
    else if (firstSendable === 0) firstSendable = number;
    if (preview.length < PREVIEWED_ROWS) preview.push({ number, request });
  }
  const { template } = read;
  if (template === undefined || rows === 0) {
    throw new CliError(
      EXIT.usage,
      `${csv.file} has no rows. The first line names the columns, and each of the other lines is a message.`,
    );
  }
  digest.update(JSON.stringify([template.contactColumn, template.fields]));
  return { template, rows, refused, preview, firstSendable, contentId: `b-${digest.digest('hex').slice(0, 20)}` };
};

/** A row's request ID, the same each time that the broadcast is run. */
export const requestIdOf = (requestPrefix: string, row: number): string => `${requestPrefix}-${row}`;
