import type { MessageFields } from '../base/message-options.ts';
import { type CsvTable, csvRows, noRows } from './csv-rows.ts';
import { createInvalidRows, type InvalidRows } from './invalid-rows.ts';
import { choosePreview, type PreviewedRow } from './preview.ts';
import { type RefusedRows, recordRefusal } from './refused-rows.ts';
import { broadcastIdOf, type RowIdentity } from './row-identity.ts';
import { createTemplate, fillRow, type MessageTemplate } from './template.ts';

/** A CSV file that has been checked completely. */
export interface BroadcastPlan {
  readonly csv: CsvTable;
  readonly template: MessageTemplate;
  /** How many rows the file has. */
  readonly rows: number;
  readonly invalid: InvalidRows;
  /** Rows for a contact that an earlier row has, by what they repeat. */
  readonly repeats: RefusedRows;
  /** The valid rows of each contact, in the order of the file. */
  readonly contacts: ReadonlyMap<string, readonly PlannedRow[]>;
  /** How many of them are to be sent, if none of their contacts has the broadcast yet. */
  readonly messages: number;
  readonly preview: readonly PreviewedRow[];
}

export interface PlannedRow extends Pick<RowIdentity, 'content'> {
  readonly number: number;
}

/** The message, and the column with the contact. */
export interface PlannedMessage {
  readonly contactColumn: string;
  readonly fields: MessageFields;
  /** The ID that the operator gives. @default derived from the message */
  readonly id: string | undefined;
  /** Whether a contact gets the messages of all its rows, not only of the first. */
  readonly allowRepeats: boolean;
}

/**
 * Checks all rows, so that an error in the last row is found before the first row is queued.
 *
 * @throws CliError for an invalid file, or one without rows.
 */
export const planBroadcast = async (csv: CsvTable, message: PlannedMessage): Promise<BroadcastPlan> => {
  const { fields, contactColumn, id = broadcastIdOf(fields), allowRepeats } = message;
  const template = { ...createTemplate(csv, contactColumn, fields), broadcastId: id };
  const invalid = createInvalidRows();
  const preview = choosePreview();
  const repeats: RefusedRows = {};
  const contacts = new Map<string, PlannedRow[]>();
  let messages = 0;
  let rows = 0;
  for await (const numbered of csvRows(csv)) {
    const { number } = numbered;
    rows += 1;
    const filled = fillRow(template, numbered);
    if (filled.kind === 'invalid') {
      invalid.add(number, filled);
      continue;
    }
    const { contact, content } = filled;
    const earlier = contacts.get(contact);
    if (earlier === undefined) contacts.set(contact, [{ number, content }]);
    else {
      recordRefusal(repeats, earlier[0]?.content === content ? SAME_MESSAGE : OTHER_MESSAGE, number);
      earlier.push({ number, content });
    }
    if (earlier !== undefined && !allowRepeats) continue;
    messages += 1;
    preview.add(number, filled);
  }
  if (rows === 0) throw noRows(csv.file);
  return { csv, template, rows, contacts, invalid, repeats, messages, preview: preview.chosen() };
};

const SAME_MESSAGE = 'the same message';
const OTHER_MESSAGE = 'another message';
