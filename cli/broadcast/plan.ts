import { createHash } from 'node:crypto';
import { parseSendRequest } from '../../lambdas/domain/send-request.ts';
import { nearestName } from '../../lib/settings/nearest-name.ts';
import { CliError, EXIT } from '../errors.ts';
import type { MessageFields } from '../message-options.ts';
import { type CsvFile, csvRows, type Row } from './csv-rows.ts';
import { type RefusedRows, recordRefusal } from './refused-rows.ts';

/** The message that every row is filled into. */
export interface MessageTemplate {
  readonly contactColumn: string;
  /** Fields of the send request. Strings can contain `${column}` placeholders. */
  readonly fields: MessageFields;
  /** The columns that the message uses. */
  readonly columns: readonly string[];
}

/** A CSV file that has been checked completely. */
export interface BroadcastPlan {
  readonly template: MessageTemplate;
  readonly rows: number;
  /** Rows that make no valid send request. */
  readonly refused: RefusedRows;
  /** Derived from the file and the message, so that repeating a broadcast produces the same request ids. */
  readonly broadcastId: string;
}

/**
 * Reads the whole file once, so that an error in the last row is found before the first row is queued.
 *
 * @throws CliError for an invalid file, or one without rows.
 */
export const planBroadcast = async (
  csv: CsvFile,
  contactColumn: string,
  fields: MessageFields,
): Promise<BroadcastPlan> => {
  const digest = createHash('sha256');
  const read: { template?: MessageTemplate } = {};
  let rows = 0;
  const refused: RefusedRows = {};
  const onHeader = (header: readonly string[]) => {
    read.template = createTemplate(csv.file, header, contactColumn, fields);
  };
  for await (const { number, row } of csvRows(csv, onHeader, (bytes) => digest.update(bytes))) {
    rows = number;
    const request = read.template && createRequest(read.template, row, 'dry-run');
    if (request?.kind === 'refused') recordRefusal(refused, request.why, number);
  }
  const { template } = read;
  if (template === undefined || rows === 0) {
    throw new CliError(
      EXIT.usage,
      `${csv.file} has no rows. The first line names the columns, and each of the other lines is a message.`,
    );
  }
  digest.update(JSON.stringify([template.contactColumn, template.fields]));
  return { template, rows, refused, broadcastId: `b-${digest.digest('hex').slice(0, 20)}` };
};

const PLACEHOLDER = /\$\{([^}]*)\}/g;

const createTemplate = (
  file: string,
  header: readonly string[],
  contactColumn: string,
  fields: MessageFields,
): MessageTemplate => {
  const strings = Object.values(fields).flatMap((value) =>
    typeof value === 'string' ? [value] : Object.values(value),
  );
  const named = strings.flatMap((text) => [...text.matchAll(PLACEHOLDER)].map(([, column = '']) => column));
  // Without params, the approved template takes the other columns as its variables.
  const takesColumns = fields.ruleNameOrId !== undefined && fields.params === undefined;
  const variables = takesColumns ? header.filter((column) => column !== contactColumn) : [];
  const columns = [...new Set([contactColumn, ...named, ...variables])];
  const missing = columns.find((column) => !header.includes(column));
  if (missing !== undefined) {
    const nearest = nearestName(missing, header);
    const advice = nearest ? `Did you mean "${nearest}"?` : 'Add the column, or use another one.';
    throw new CliError(EXIT.usage, `${file} has no column "${missing}". ${advice} Its columns: ${header.join(', ')}.`);
  }
  const params = Object.fromEntries(variables.map((column) => [column, `\${${column}}`]));
  return { contactColumn, columns, fields: variables.length > 0 ? { ...fields, params } : fields };
};

/** A row's send request, or why the row is refused. */
export type RowRequest =
  | { readonly kind: 'request'; readonly requestId: string; readonly contact: string; readonly body: string }
  | { readonly kind: 'refused'; readonly why: string };

/** Creates a row's send request, validated as the consumer of the queue does. */
export const createRequest = (template: MessageTemplate, row: Row, requestId: string): RowRequest => {
  const empty = template.columns.find((column) => (row[column] ?? '').trim() === '');
  if (empty !== undefined) return { kind: 'refused', why: `column ${empty} is empty` };
  const fill = (text: string): string => text.replace(PLACEHOLDER, (_, column: string) => row[column] ?? '');
  const filled = Object.entries(template.fields).map(([name, value]) => [
    name,
    typeof value === 'string'
      ? fill(value)
      : Object.fromEntries(Object.entries(value).map(([variable, text]) => [variable, fill(text)])),
  ]);
  const contact = (row[template.contactColumn] ?? '').trim();
  const read = parseSendRequest(
    JSON.stringify({ requestId, platformContactId: contact, ...Object.fromEntries(filled) }),
  );
  // The consumer compares bodies, and the management API serializes requests in this way too.
  if (read.kind === 'request') return { kind: 'request', requestId, contact, body: JSON.stringify(read.request) };
  return { kind: 'refused', why: read.explanation.replace(/^Not a send request: |\.$/g, '') };
};

/** A row's request id, the same each time that the broadcast is run. */
export const requestIdOf = (broadcastId: string, row: number): string => `${broadcastId}-${row}`;
