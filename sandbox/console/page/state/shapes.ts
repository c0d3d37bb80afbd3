import type { Call as LoggedCall } from '../../../calls/call-log.ts';
import type {
  accountView,
  deliveryView,
  expiredView,
  messageView,
  ruleView,
  templateView,
  userView,
} from '../../../control/views.ts';

/* What the service's control API and feed carry, by the functions that make it. */

export type User = ReturnType<typeof userView>;
export type Message = ReturnType<typeof messageView>;
export type Rule = ReturnType<typeof ruleView>;
export type Template = ReturnType<typeof templateView>;
export type Account = ReturnType<typeof accountView>;
export type ExpiredEvent = ReturnType<typeof expiredView>;
export type Delivery = ReturnType<typeof deliveryView>;
export type Call = LoggedCall;

export type UserRow = User & { readonly lastMessage: Message | null };

/** One entry of the feed, as far as the console understands it. */
export type FeedEntry = { readonly id: number; readonly at: string } & (
  | { readonly type: 'account-changed'; readonly account: Account }
  | { readonly type: 'user-changed'; readonly user: User }
  | { readonly type: 'rule-changed'; readonly name: string; readonly rule: Rule | null }
  | {
      readonly type: 'user-wrote' | 'message-accepted' | 'status-changed';
      readonly contact: string;
      readonly message: Message;
    }
  | { readonly type: 'event-published'; readonly messageId: string; readonly event: unknown }
  | { readonly type: 'webhook-attempt'; readonly delivery: Delivery }
  | { readonly type: 'call'; readonly call: Call }
  | { readonly type: 'template-changed'; readonly name: string; readonly template: Template | null }
  | ({ readonly type: 'event-expired' } & ExpiredEvent)
  | { readonly type: 'channel-added'; readonly chatChannelNumber: string }
  | { readonly type: 'webhook-changed' | 'access-tokens-changed' }
  | { readonly type: 'clock-moved'; readonly now: string }
  | { readonly type: 'reset' | 'gap' }
);
