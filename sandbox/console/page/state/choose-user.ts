import { EMPTY_CONVERSATION, store } from './console-state.ts';
import { loadLatest } from './conversation.ts';
import { loadSends } from './sends.ts';

/** The phone becomes this user's. */
export const chooseUser = (contact: string): void => {
  if (store.get().user === contact) return;
  store.set({ user: contact, conversation: EMPTY_CONVERSATION, sends: [], chosen: undefined, way: undefined });
  void Promise.all([loadLatest(), loadSends()]);
};
