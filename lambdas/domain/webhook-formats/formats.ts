import { isFieldName } from '../field-name.ts';
import { historyFormatOf } from '../history-formats/history-formats.ts';
import { parseJson } from '../parse-json.ts';
import { camelCase } from './camel-case.ts';
import { codeAction } from './code-action.ts';
import { uppercase } from './uppercase.ts';
import { v1_1 } from './v1-1.ts';
import { type Fields, isFields, type ServiceEvent, type WebhookFormat } from './webhook-format.ts';

/**
 * Every format that Parley reads, in the order in which they are tried. The contract's comes first: its events can have
 * fields that the contract does not list, including those by which other formats are recognized.
 */
export const WEBHOOK_FORMATS: readonly WebhookFormat[] = [uppercase, camelCase, v1_1, codeAction];

/** Returns the format of an event, or undefined if Parley does not know it. */
export const formatOf = (fields: Fields): WebhookFormat | undefined =>
  WEBHOOK_FORMATS.find((format) => format.matches(fields));

/** Returns the format of a stored event, which an import may have stored as an entry of the service's history. */
const storedFormatOf = (fields: Fields): WebhookFormat | undefined => historyFormatOf(fields) ?? formatOf(fields);

/** Parses the fields of a stored event, without what wraps them. */
export const parseFields = (body: string): Fields => {
  const fields = parseJson(body);
  if (!isFields(fields)) return {};
  return storedFormatOf(fields)?.unwrap?.(fields) ?? fields;
};

/** Reads the body of a stored event. Returns undefined if it is not JSON, or not in a known format. */
export const readServiceEvent = (body: string): ServiceEvent | undefined => {
  const fields = parseJson(body);
  return isFields(fields) ? storedFormatOf(fields)?.read(fields) : undefined;
};

/** The fields that name the user of an event, in any format. */
export const USER_FIELDS: ReadonlySet<string> = new Set(WEBHOOK_FORMATS.flatMap(({ userFields }) => userFields));

/** The fields with the chat service's ID of the user: in events of any format, and in what Parley writes. */
export const CUSTOMER_FIELDS: ReadonlySet<string> = new Set(['CUSTOMER_ID', 'customerId']);

const BUSINESS_NAMES = new Set(WEBHOOK_FORMATS.flatMap(({ businessNames = [] }) => businessNames));

/** Whether a value of one of these fields names a user, and not the business. */
export const namesUser = (name: string): boolean => name !== '' && !BUSINESS_NAMES.has(name.toLowerCase());

/** Returns the user whom an object names, and the platform, even if the object is not an event in any format. */
export const readUser = (fields: Fields): Pick<ServiceEvent, 'user' | 'chatPlatform'> | undefined =>
  [formatOf(fields), ...WEBHOOK_FORMATS].map((format) => format?.read(fields)).find((read) => read?.user !== undefined);

/** Returns the name of an event that Parley does not know, if it is one word. Longer text may quote the user. */
export const nameOfUnknown = (name: string): string => (isFieldName(name) ? name : 'other');
