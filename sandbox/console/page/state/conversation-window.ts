import { useWindowTime } from '../phone/open-windows.ts';
import type { ContactStatus } from './api.ts';
import { useConsole, useSelectedUser } from './console-state.ts';

/** A user's conversation window. When it closes is not known if the chat service reported it closed earlier. */
export type ConversationWindow =
  | { readonly state: 'unknown' | 'never' }
  | { readonly state: 'open'; readonly closesAt: number }
  | { readonly state: 'closed'; readonly closesAt?: number };

/** The selected user's window: the one that Parley decides by, or the chat service's if Parley does not run. */
export const useConversationWindow = (): ConversationWindow => {
  const hasInspector = useConsole((state) => state.hasInspector);
  const recorded = useConsole(({ contactStatus, route }) =>
    contactStatus?.contact === route.user ? contactStatus : undefined,
  );
  const user = useSelectedUser();
  const [channel] = useConsole((state) => state.chatChannelNumbers);
  const own = user?.windows.find(({ chatChannelNumber }) => chatChannelNumber === channel);
  const window = hasInspector ? recorded?.status?.window : own && { ...own, open: true };
  const now = useWindowTime(window?.closesAt === undefined ? [] : [{ windows: [{ closesAt: window.closesAt }] }]);
  if (hasInspector && recorded === undefined) return { state: 'unknown' };
  return windowAt(window, now);
};

/** Returns the window at a time, in milliseconds. */
export const windowAt = (window: ContactStatus['window'] | undefined, now: number): ConversationWindow => {
  if (window?.closesAt === undefined) return { state: 'never' };
  const closesAt = Date.parse(window.closesAt);
  if (now >= closesAt) return { state: 'closed', closesAt };
  return window.open ? { state: 'open', closesAt } : { state: 'closed' };
};
