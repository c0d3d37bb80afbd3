import type { Fields, WebhookFormat } from '../webhook-formats/webhook-format.ts';

/** One format of the chat service's own history. An entry is read like an event. */
export interface HistoryFormat extends WebhookFormat {
  /** Returns the field that lists the entries of a page, or undefined if the object is no page of this format. */
  pageList(fields: Fields): string | undefined;
}
