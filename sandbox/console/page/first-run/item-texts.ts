import type { Item } from './progress.ts';

type ItemText = {
  readonly title: string;
  /** What to look at. */
  readonly explains: string;
  /** The label of the button that does it. */
  readonly action: string;
};

export const ITEM_TEXTS: Readonly<Record<Item, ItemText>> = {
  wrote: {
    title: 'A user writes',
    explains: "This opens the user's 24-hour conversation window. The controls show its countdown.",
    action: 'Write as the user',
  },
  replied: {
    title: 'You reply with free-form text',
    explains: "The timeline shows every step from the send queue to the user's device.",
    action: 'Send a reply',
  },
  refused: {
    title: '25 hours later, free-form text is refused',
    explains: 'The window is closed, so the decision is WINDOW_CLOSED, and Parley does not call the chat service.',
    action: 'Advance 25 h and send',
  },
  templated: {
    title: 'You send a template instead',
    explains: 'An approved template can open a conversation, so the decision is intent/v2.',
    action: 'Send a template',
  },
  read: {
    title: 'The user reads it',
    explains: 'The ticks on the phone turn blue, and MessageRead is published.',
    action: 'Read as the user',
  },
};
