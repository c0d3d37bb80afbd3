import { partialNumberFault } from '../../lambdas/domain/address.ts';
import { type AddressedRequest, namesAddress } from '../../lambdas/domain/addressed-request.ts';
import { parseSendRequest } from '../../lambdas/domain/send-request.ts';
import { faultsOfSendRequest } from '../../lambdas/domain/send-request-faults.ts';
import { nearestName } from '../../lib/settings/nearest-name.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { MESSAGE_SOURCES, type MessageFields } from '../base/message-options.ts';
import { describeFaults } from '../base/request-fields.ts';
import { cellFault } from './cell-fault.ts';
import type { CsvTable, NumberedRow } from './csv-rows.ts';
import { identifyRow, type RowIdentity } from './row-identity.ts';

/** How a message names a column. A shell leaves braces alone, and replaces `${name}`. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/** The message that every row is filled into. */
export interface MessageTemplate {
  readonly contactColumn: string;
  /** Fields of the send request. Strings can contain placeholders. */
  readonly fields: MessageFields;
  /** The columns that the message uses. */
  readonly columns: readonly string[];
  /** The ID of the broadcast, without a repetition. */
  readonly broadcastId: string;
}

/**
 * How long a request may wait by default, from when it was first queued or from its `sendAt`. A time would make a row
 * that is queued again another request.
 */
export const DEFAULT_NOT_AFTER = 'P1D';

/**
 * Creates the message's template for a file with this header.
 *
 * @throws CliError if the message names a column that does not exist, or names columns in another way.
 */
export const createTemplate = (
  { file, header }: Pick<CsvTable, 'file' | 'header'>,
  contactColumn: string,
  fields: MessageFields,
): Omit<MessageTemplate, 'broadcastId'> => {
  const strings = Object.values(fields).flatMap((value) =>
    typeof value === 'string' ? [value] : Object.values(value),
  );
  for (const text of strings) checkPlaceholders(text);
  const named = strings.flatMap((text) => [...text.matchAll(PLACEHOLDER)].map(([, column = '']) => column.trim()));
  // Without params, the approved template takes the other columns as its variables.
  const takesColumns = fields.ruleNameOrId !== undefined && fields.params === undefined;
  const variables = takesColumns ? header.filter((column) => column !== contactColumn) : [];
  const columns = [...new Set([contactColumn, ...named, ...variables])];
  const missing = columns.find((column) => !header.includes(column));
  if (missing !== undefined) {
    const nearest = nearestName(missing, header);
    const option = missing === contactColumn ? 'Name the column with --contact-column.' : 'Add it, or use another one.';
    const advice = nearest ? `Did you mean "${nearest}"?` : option;
    throw new CliError(EXIT.usage, `${file} has no column "${missing}". ${advice} Its columns: ${listNames(header)}.`);
  }
  const given = fields.params ?? Object.fromEntries(variables.map((column) => [column, `{{${column}}}`]));
  // In one order, whatever the order of the columns or options is, because bodies are compared.
  const params = Object.fromEntries(Object.entries(given).toSorted());
  return { contactColumn, columns, fields: Object.keys(params).length > 0 ? { ...fields, params } : fields };
};

const LISTED_COLUMNS = 8;
const MAX_NAME_LENGTH = 30;

/** Lists columns, but not all of a file that is no CSV file, such as one with a token. */
const listNames = (header: readonly string[]): string => {
  const names = header
    .slice(0, LISTED_COLUMNS)
    .map((name) => (name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name));
  const more = header.length - names.length;
  return `${names.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
};

const checkPlaceholders = (text: string): void => {
  const [dollar, column] = /\$\{([^}]*)\}?/.exec(text) ?? [];
  if (dollar !== undefined) {
    throw new CliError(
      EXIT.usage,
      `Write {{${column}}} instead of ${dollar}: a shell replaces ${dollar} before parley sees it.`,
    );
  }
  const rest = text.replace(PLACEHOLDER, '');
  const stray = ['{{', '}}'].find((braces) => rest.includes(braces));
  if (stray !== undefined) {
    throw new CliError(EXIT.usage, `The message has ${stray} without a column. Write a placeholder as {{column}}.`);
  }
};

/** A row's message, or why the row is not valid. */
export type RowMessage =
  | ({
      readonly kind: 'message';
      /** The request, whose ID and broadcast are not known yet. */
      readonly request: AddressedRequest;
      /** The values of the columns that the message uses, without the contact. */
      readonly values: readonly string[];
    } & RowIdentity)
  | { readonly kind: 'invalid'; readonly why: string; readonly value?: string };

const invalid = (why: string, value?: string): RowMessage => ({
  kind: 'invalid',
  why,
  ...(value !== undefined && value !== '' && { value }),
});

/** Fills a row into the template, and validates the request as the consumer of the queue does. */
export const fillRow = (template: MessageTemplate, { row, fault }: NumberedRow): RowMessage => {
  if (fault !== undefined) return invalid(fault);
  const { contactColumn, columns } = template;
  for (const column of columns) {
    const value = row[column] ?? '';
    if (value === '') return invalid(`column ${column} is empty`);
    const why = column === contactColumn ? undefined : cellFault(value);
    if (why !== undefined) return invalid(`column ${column} ${why}`, value);
  }
  const fill = (text: string): string => text.replace(PLACEHOLDER, (_, column: string) => row[column.trim()] ?? '');
  const filled = Object.fromEntries(
    Object.entries(template.fields).map(([name, value]) => [
      name,
      typeof value === 'string'
        ? fill(value)
        : Object.fromEntries(Object.entries(value).map(([variable, text]) => [variable, fill(text)])),
    ]),
  );
  const contact = row[contactColumn] ?? '';
  const body = JSON.stringify({ requestId: 'row', notAfter: DEFAULT_NOT_AFTER, platformContactId: contact, ...filled });
  const read = parseSendRequest(body);
  if (read.kind !== 'request') {
    const faults = faultsOfSendRequest(body);
    const ofContact = faults.find(({ field }) => field === 'platformContactId');
    if (ofContact) return invalid(`column ${contactColumn} ${ofContact.fault}`, contact);
    // Without the values, so that rows with the same fault are counted together.
    const fields = faults.map(({ field, fault: why }) => ({ field, fault: why }));
    return invalid(
      describeFaults(fields, MESSAGE_SOURCES).replace(/\.$/, ''),
      faults.length === 1 ? faults[0]?.value?.slice(1, -1) : undefined,
    );
  }
  const { request } = read;
  if (!namesAddress(request)) return invalid(`column ${contactColumn} is empty`);
  const partial = partialNumberFault(request.platformContactId);
  if (partial !== undefined) return invalid(`column ${contactColumn} ${partial}`, contact);
  const values = columns.flatMap((column) => (column === contactColumn ? [] : [row[column] ?? '']));
  return { kind: 'message', request, values, ...identifyRow(template.broadcastId, request) };
};
