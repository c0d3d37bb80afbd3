import { type Fields, isFields } from '../webhook-formats/webhook-format.ts';
import type { HistoryFormat } from './history-format.ts';
import { messageDownload } from './message-download.ts';
import { v2Messages } from './v2-messages.ts';

/** Every format of the chat service's history that Parley reads. */
export const HISTORY_FORMATS: readonly HistoryFormat[] = [messageDownload, v2Messages];

/** Returns the format of an entry of a history, or undefined if it is none. */
export const historyFormatOf = (fields: Fields): HistoryFormat | undefined =>
  HISTORY_FORMATS.find((format) => format.matches(fields));

/** Returns the field that lists the entries of a page of a history, or undefined if the value is no page. */
export const pageListOf = (value: unknown): string | undefined =>
  isFields(value)
    ? HISTORY_FORMATS.map((format) => format.pageList(value)).find((list) => list !== undefined)
    : undefined;
