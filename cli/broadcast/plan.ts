import { readSendRequest } from '../../lambdas/domain/send-request.ts';
import { nearestName } from '../../lib/settings/nearest-name.ts';
import { CliError } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';

/** A row's values by their columns. */
export type Row = Readonly<Record<string, string>>;

/** What every row's message is made of; texts may hold `${column}`. */
export interface Plan {
  readonly contactColumn: string;
  readonly fields: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  /** Which columns the message needs. */
  readonly columns: readonly string[];
}

/** A row's request as it goes on the queue, or why it does not. */
export type RowRequest =
  | { readonly kind: 'request'; readonly requestId: string; readonly contact: string; readonly body: string }
  | { readonly kind: 'refused'; readonly why: string };

const PLACEHOLDER = /\$\{([^}]*)\}/g;

/**
 * Makes a plan for a file with these columns.
 *
 * @throws CliError for a column that the file does not have.
 */
export const createPlan = (
  file: string,
  header: readonly string[],
  contactColumn: string,
  fields: Plan['fields'],
): Plan => {
  const texts = Object.values(fields).flatMap((value) => (typeof value === 'string' ? [value] : Object.values(value)));
  const named = texts.flatMap((text) => [...text.matchAll(PLACEHOLDER)].map(([, column = '']) => column));
  // A template without params of its own takes the columns as its variables.
  const isTemplate = fields.ruleNameOrId !== undefined && fields.params === undefined;
  const variables = isTemplate ? header.filter((column) => column !== contactColumn) : [];
  const columns = [...new Set([contactColumn, ...named, ...variables])];
  const missing = columns.find((column) => !header.includes(column));
  if (missing !== undefined) {
    const nearest = nearestName(missing, header);
    throw new CliError(
      EXIT.usage,
      `${file} has no column "${missing}"; ${nearest ? `did you mean "${nearest}"?` : 'name another, or add it.'} Its columns: ${header.join(', ')}.`,
    );
  }
  const params = Object.fromEntries(variables.map((column) => [column, `\${${column}}`]));
  return { contactColumn, columns, fields: variables.length > 0 ? { ...fields, params } : fields };
};

/** Makes a row's request, checked as the queue's consumer would. */
export const rowRequest = (plan: Plan, row: Row, requestId: string): RowRequest => {
  const empty = plan.columns.find((column) => (row[column] ?? '').trim() === '');
  if (empty !== undefined) return { kind: 'refused', why: `column ${empty} is empty` };
  const fill = (text: string): string => text.replace(PLACEHOLDER, (_, column: string) => row[column] ?? '');
  const filled = Object.entries(plan.fields).map(([name, value]) => [
    name,
    typeof value === 'string'
      ? fill(value)
      : Object.fromEntries(Object.entries(value).map(([variable, text]) => [variable, fill(text)])),
  ]);
  const contact = (row[plan.contactColumn] ?? '').trim();
  const read = readSendRequest(
    JSON.stringify({ requestId, platformContactId: contact, ...Object.fromEntries(filled) }),
  );
  // The consumer compares bodies: this is how the management API writes one as well.
  if (read.kind === 'request') return { kind: 'request', requestId, contact, body: JSON.stringify(read.request) };
  return { kind: 'refused', why: read.explanation.replace(/^Not a send request: |\.$/g, '') };
};
