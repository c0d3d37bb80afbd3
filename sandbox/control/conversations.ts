import { contactKey } from '../service/contact-key.ts';
import type { ServiceState } from '../service/state.ts';
import { findUser, type User } from '../service/users.ts';
import { type Page, pageBefore } from './page.ts';
import { messageView, userView } from './views.ts';

/** The users, the one with the latest message first; before the user of the address `before`. */
export const usersView = (state: ServiceState, now: Date, page: Page) => {
  const entries = Array.from(state.users, ([key, user]) => ({ key, user, last: state.messages.latestOf(key) }));
  const order = (last: (typeof entries)[number]['last']) =>
    last === undefined ? 0 : (last.direction === 'in' ? last.receivedAt : last.at).getTime();
  const latestFirst = entries.toSorted((one, other) => order(other.last) - order(one.last));
  const key = page.before === undefined ? undefined : contactKey(page.before);
  const start = key === undefined ? 0 : latestFirst.findIndex((entry) => entry.key === key) + 1;
  const shown = latestFirst.slice(start, start + page.limit);
  return {
    users: shown.map(({ user, last }) => ({ ...userView(user, now), lastMessage: last ? messageView(last) : null })),
    before: start + page.limit < latestFirst.length ? (shown.at(-1)?.user.contact ?? null) : null,
  };
};

/** What a user and the business wrote to each other, oldest first, in the order in which the service got it. */
export const conversationView = (state: ServiceState, contact: string, now: Date, page: Page) => {
  const user: User | undefined = findUser(state, contact);
  const { items, before } = pageBefore(state.messages.of(contactKey(contact)), page);
  return { user: user ? userView(user, now) : null, messages: items.map(messageView), before };
};
