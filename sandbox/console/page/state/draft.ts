import type { RequestContent, SendQueue } from './enqueue.ts';
import { createStore, useStore } from './store.ts';

export type Condition = 'userWroteSince' | 'operatorWroteSince';

/** The request in the form that sends. */
export interface Draft {
  readonly text: string;
  readonly template: string;
  /** A map, because a template's variable may have the name of a property that every object inherits. */
  readonly params: ReadonlyMap<string, string>;
  readonly reason: string;
  readonly media: Readonly<Record<'imageURL' | 'audioURL' | 'fileURL', string>>;
  readonly automated: boolean;
  readonly unless: readonly Condition[];
  /** What the conditions count from: a message ID or a time, for this user. */
  readonly since: { readonly contact: string | undefined; readonly value: string };
  readonly notAfter: string;
  readonly queue: SendQueue;
  /** Whether the fields for bots and agents are shown. */
  readonly isAgentOpen: boolean;
}

export const EMPTY_DRAFT: Draft = {
  text: 'Your parcel arrives *today*.',
  template: '',
  params: new Map(),
  reason: '',
  media: { imageURL: '', audioURL: '', fileURL: '' },
  automated: false,
  unless: [],
  since: { contact: undefined, value: '' },
  notAfter: '',
  queue: 'send',
  isAgentOpen: false,
};

export const draft = createStore<Draft>(EMPTY_DRAFT);

export const useDraft = <Part>(select: (state: Draft) => Part): Part => useStore(draft, select);

/**
 * Returns what the conditions of a request to a user count from: what was entered for this user, or else the user's
 * latest message.
 */
export const sinceOf = ({ since }: Pick<Draft, 'since'>, contact: string | undefined, latest: string): string =>
  since.contact === contact && since.value !== '' ? since.value : latest;

/**
 * Returns the content of the request.
 *
 * @param values of the template's variables, by name
 */
export const contentOf = (
  { text, template, reason, media, automated, unless, notAfter }: Draft,
  { values, since }: { readonly values: ReadonlyMap<string, string>; readonly since: string },
): RequestContent => ({
  ...(text.trim() !== '' && { messageText: text }),
  ...Object.fromEntries(Object.entries(media).filter(([, url]) => url !== '')),
  ...(template !== '' && {
    ruleNameOrId: template,
    ...(values.size > 0 && { params: Object.fromEntries(values) }),
  }),
  ...(reason !== '' && { reason }),
  ...(automated && { automated }),
  ...(unless.length > 0 && { unless, ...(since !== '' && { since }) }),
  ...(notAfter.trim() !== '' && { notAfter: notAfter.trim() }),
});
