import { accountView, messageView, ruleView, templateView, userView } from '../control/views.ts';
import type { StateChange } from '../service/state.ts';
import type { Feed } from './feed.ts';

/** Tells the feed of one change of the state. */
export const tellStateChange = (feed: Feed, change: StateChange, contactOf: (key: string) => string, now: Date) => {
  switch (change.collection) {
    case 'account':
      return feed.tell('account-changed', now, { account: change.value ? accountView(change.value) : null });
    case 'users':
      return feed.tell('user-changed', now, { user: change.value && userView(change.value, now) });
    case 'rules':
      return feed.tell('rule-changed', now, { name: change.key, rule: change.value ? ruleView(change.value) : null });
    case 'templates':
      return feed.tell('template-changed', now, {
        name: change.key,
        template: change.value ? templateView(change.value) : null,
      });
    case 'channels':
      return feed.tell('channel-added', now, { chatChannelNumber: change.key });
    case 'accessTokens':
      return feed.tell('access-tokens-changed', now);
    case 'messages': {
      const { value, previous } = change;
      if (value === undefined) return;
      const contact = contactOf(value.contactKey);
      const message = messageView(value);
      if (value.direction === 'in') return feed.tell('user-wrote', now, { contact, message });
      return feed.tell(previous === undefined ? 'message-accepted' : 'status-changed', now, { contact, message });
    }
  }
};
