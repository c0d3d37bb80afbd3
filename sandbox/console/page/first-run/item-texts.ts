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
    explains: 'This opens the user’s 24-hour conversation window: see its countdown in the controls.',
    action: 'Write as the user',
  },
  replied: {
    title: 'You reply with free-form text',
    explains: 'The timeline shows every step from the send queue to the user’s device.',
    action: 'Send a reply',
  },
  refused: {
    title: '25 hours later, free-form text is refused',
    explains: 'The window is closed, so the decision is WINDOW_CLOSED, and the chat service is not called.',
    action: 'Advance 25 h and send',
  },
  templated: {
    title: 'A template is sent instead',
    explains: 'An approved template may open a conversation: the decision is intent/v2.',
    action: 'Send a template',
  },
  read: {
    title: 'The user reads it',
    explains: 'The ticks on the phone turn blue, and MessageRead is published.',
    action: 'Read as the user',
  },
};
