import type { StageFeatures } from '../state/api.ts';
import type { Item } from './progress.ts';

interface ItemText {
  readonly title: string;
  /** What to look at. */
  readonly explains: string;
  /** The label of the button that does it. */
  readonly action: string;
  /** What the stage must turn on; nothing by default. */
  readonly needs?: { readonly isOn: (features: StageFeatures) => boolean; readonly setting: string };
}

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
    explains: 'The two ticks on the phone change color, and Parley publishes MessageRead.',
    action: 'Read as the user',
  },
  condition: {
    title: 'Condition: an answer that comes too late',
    explains: 'The user writes again before the bot answers, so the answer is refused with SUPERSEDED.',
    action: 'Answer too late',
  },
  turn: {
    title: 'Turn: three messages, one event',
    explains: 'The user writes three messages and then falls silent. TurnEnded is published with all three.',
    action: 'Write three messages',
    needs: { isOn: ({ turns }) => turns !== undefined, setting: 'To try this, set turns.silenceSeconds.' },
  },
  handover: {
    title: 'Handover: a person answers',
    explains: "An operator writes, so a bot's request is refused with HANDED_OVER. Then the user is handed back.",
    action: 'Write as operator and bot',
    needs: {
      isOn: ({ operatorField }) => operatorField !== undefined,
      setting: 'To try this, set operators.echoField.',
    },
  },
  keyword: {
    title: 'Keyword: STOP opts the user out',
    explains:
      'Parley records the opt-out, confirms it if the stage has a confirmation, and refuses the reply with OPTED_OUT.',
    action: 'Write STOP and send',
    needs: { isOn: ({ keywords }) => keywords, setting: 'To try this, set keywords.' },
  },
  lane: {
    title: 'Bulk queue: a code overtakes a broadcast',
    explains: '20 requests wait on the bulk queue. A code on the send queue does not wait for them to be sent.',
    action: 'Send 20 and a code',
    needs: { isOn: ({ bulkLane }) => bulkLane, setting: 'To try this, set sends.bulkLane.' },
  },
  dryRun: {
    title: 'Dry run: the decision before you send',
    explains: 'The form shows what Parley would decide now. Change it, or write as the user, and the decision changes.',
    action: 'Fill in the form',
  },
};
