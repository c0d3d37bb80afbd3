import { partialNumberFault } from '../../lambdas/domain/address.ts';
import { type AddressedRequest, namesAddress } from '../../lambdas/domain/addressed-request.ts';
import { addMs, type Instant, parseInstant } from '../../lambdas/domain/instant.ts';
import { parseSendRequest } from '../../lambdas/domain/send-request.ts';
import { nearestName } from '../../lib/settings/nearest-name.ts';
import { CliError, EXIT } from '../base/errors.ts';
import type { MessageFields } from '../base/message-options.ts';
import type { Row } from './csv-rows.ts';

/** How a message names a column. A shell leaves braces alone, and replaces `${name}`. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/** The message that every row is filled into. */
export interface MessageTemplate {
  readonly contactColumn: string;
  /** Fields of the send request. Strings can contain placeholders. */
  readonly fields: MessageFields;
  /** The columns that the message uses. */
  readonly columns: readonly string[];
  /** The broadcast that the requests are part of. @default none */
  readonly broadcastId?: string;
  /** The `notAfter` of requests that have neither their own nor a `sendAt`. @default none */
  readonly notAfter?: Instant;
}

/** How long a request may wait by default, from the start of the broadcast or from its `sendAt`. */
export const DEFAULT_TIME_TO_SEND_MS = 24 * 60 * 60 * 1000;

/** Whether the requests get a default `notAfter` from the start of the broadcast. */
export const hasDefaultNotAfter = ({ fields }: MessageTemplate): boolean =>
  fields.notAfter === undefined && fields.sendAt === undefined;

/**
 * Creates the message's template for a file with this header.
 *
 * @throws CliError if the message names a column that does not exist, or names columns in another way.
 */
export const createTemplate = (
  file: string,
  header: readonly string[],
  contactColumn: string,
  fields: MessageFields,
): MessageTemplate => {
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
    const advice = nearest ? `Did you mean "${nearest}"?` : 'Add the column, or use another one.';
    throw new CliError(EXIT.usage, `${file} has no column "${missing}". ${advice} Its columns: ${header.join(', ')}.`);
  }
  const params = Object.fromEntries(variables.map((column) => [column, `{{${column}}}`]));
  return { contactColumn, columns, fields: variables.length > 0 ? { ...fields, params } : fields };
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

/** A row's send request, or why the row is refused. */
export type RowRequest =
  | {
      readonly kind: 'request';
      readonly requestId: string;
      readonly contact: string;
      readonly request: AddressedRequest;
      /** The request as it is queued. */
      readonly body: string;
    }
  | { readonly kind: 'refused'; readonly why: string };

/** Creates a row's send request, validated as the consumer of the queue does. */
export const createRequest = (template: MessageTemplate, row: Row, requestId: string): RowRequest => {
  const { broadcastId } = template;
  const empty = template.columns.find((column) => (row[column] ?? '').trim() === '');
  if (empty !== undefined) return { kind: 'refused', why: `column ${empty} is empty` };
  const fill = (text: string): string => text.replace(PLACEHOLDER, (_, column: string) => row[column.trim()] ?? '');
  const filled = Object.fromEntries(
    Object.entries(template.fields).map(([name, value]) => [
      name,
      typeof value === 'string'
        ? fill(value)
        : Object.fromEntries(Object.entries(value).map(([variable, text]) => [variable, fill(text)])),
    ]),
  );
  const contact = (row[template.contactColumn] ?? '').trim();
  const notAfter = defaultNotAfter(template, filled.sendAt);
  const read = parseSendRequest(
    JSON.stringify({ requestId, broadcastId, notAfter, platformContactId: contact, ...filled }),
  );
  if (read.kind !== 'request') {
    return { kind: 'refused', why: read.explanation.replace(/^Not a send request: |\.$/g, '') };
  }
  const { request } = read;
  if (!namesAddress(request)) return { kind: 'refused', why: 'platformContactId: is missing' };
  const fault = partialNumberFault(request.platformContactId);
  if (fault !== undefined) return { kind: 'refused', why: `platformContactId: ${fault}` };
  // The consumer compares bodies, and the management API serializes requests in this way too.
  return { kind: 'request', requestId, contact, request, body: JSON.stringify(request) };
};

/**
 * Depends only on the row if the row has a `sendAt`, so that a row that is queued again, even by a broadcast whose state
 * file was lost, is the same request.
 */
const defaultNotAfter = (template: MessageTemplate, filledSendAt: unknown): Instant | undefined => {
  if (template.fields.notAfter !== undefined) return undefined;
  if (filledSendAt === undefined) return template.notAfter;
  const sendAt = parseInstant(filledSendAt);
  return sendAt === undefined ? undefined : addMs(sendAt, DEFAULT_TIME_TO_SEND_MS);
};
