import { plainAddress } from '../../../lambdas/domain/address.ts';
import { contactKey } from '../../../lambdas/domain/contact.ts';
import type { Item } from '../../../lambdas/table/item.ts';
import { containsText } from '../search/scene-view.ts';
import type { Effect } from '../world/chat-service.ts';
import type { IdentityFacts } from './identity-facts.ts';
import { canBeOptedOut, optOutsOf } from './opt-outs-known.ts';

/** What an invariant judges, after each step. */
export type IdentityMoment =
  | {
      readonly kind: 'sent';
      /** The address that the request names, or that was chosen for its customer. */
      readonly address: string;
      /** The customer that the request names in place of an address. */
      readonly customerId?: string;
      readonly content: 'text' | 'template';
      /** The message that reached somebody, or why none did. */
      readonly effect: Effect | undefined;
      readonly code: string | undefined;
    }
  | {
      readonly kind: 'erased';
      readonly address: string;
      /** The addresses and customers that the erased user had, as far as Parley knew. */
      readonly keys: ReadonlySet<string>;
      readonly customers: ReadonlySet<string>;
      readonly items: readonly Item[];
    }
  | {
      readonly kind: 'read';
      readonly address: string;
      readonly contact: unknown;
      readonly messages: unknown;
      /** The edited messages of the conversation, with their versions. */
      readonly versions: readonly unknown[];
      /** The requests to the address. */
      readonly sends: unknown;
    };

type Judge<Kind extends IdentityMoment['kind']> = (
  moment: Extract<IdentityMoment, { kind: Kind }>,
  facts: IdentityFacts,
) => string | undefined;

/** An invariant of one kind of moment. Its check returns what is wrong. */
export type IdentityInvariant = { readonly sentence: string } & {
  [Kind in IdentityMoment['kind']]: { readonly at: Kind; readonly faultIn: Judge<Kind> };
}[IdentityMoment['kind']];

export const IDENTITY_INVARIANTS = {
  destinationIsNamed: {
    sentence: 'A message goes to the address that the request names, or that its user last wrote from.',
    at: 'sent',
    faultIn({ address, effect }, facts) {
      if (effect === undefined) return undefined;
      const sentTo = String(effect.body.platformContactId);
      const wrote = facts.messagesFrom(contactKey(address)).map((message) => message.address);
      const isNamed = [plainAddress(address), address, ...wrote].includes(sentTo);
      return isNamed ? undefined : `The message for ${address} went to ${sentTo}.`;
    },
  },

  customerIsAddressed: {
    sentence:
      'A message to a customer goes to an address that events name with this customer alone: the one from which the ' +
      'customer wrote last, or else the only one.',
    at: 'sent',
    faultIn({ address, customerId, effect }, facts) {
      if (effect === undefined || customerId === undefined) return undefined;
      const wroteMs = (key: string) =>
        facts.messagesFrom(key).findLast((message) => message.customerId === customerId)?.eventMs ?? 0;
      const own = facts.addressesOf(new Set([customerId])).filter((key) => isOnlyUser(facts, key, customerId));
      const key = contactKey(address);
      if (!own.includes(key))
        return `The message to ${customerId} went to ${address}, which can be another customer's.`;
      const latest = own.find((other) => wroteMs(other) > wroteMs(key));
      if (latest !== undefined) return `The message to ${customerId} went to ${address}, but ${latest} is later.`;
      return wroteMs(key) === 0 && own.length > 1
        ? `The message to ${customerId} went to ${address}, one of several.`
        : undefined;
    },
  },

  optOutFollowsCustomer: {
    sentence:
      'An opt-out at any address of a customer stops templates to each of them until a later opt-in at that address, ' +
      'and free-form messages until the user writes from it again.',
    at: 'sent',
    faultIn({ address, content, effect }, facts) {
      if (effect === undefined) return undefined;
      const key = contactKey(address);
      const wroteMs = facts.messagesFrom(key).at(-1)?.eventMs ?? 0;
      const optOut = optOutsOf(facts, key).find(({ saidMs }) => content === 'template' || saidMs >= wroteMs);
      return optOut && `${address} got a ${content} after the opt-out ${JSON.stringify(optOut)}.`;
    },
  },

  refusedForOwnOptOut: {
    sentence: "A request is refused because of an opt-out only if the opt-out can be the user's own.",
    at: 'sent',
    faultIn: ({ address, code }, facts) =>
      code === 'OPTED_OUT' && !canBeOptedOut(facts, contactKey(address))
        ? `${address} is refused, but no customer with that address has opted out.`
        : undefined,
  },

  optInStays: {
    sentence: 'A template is sent to an address from which no user has written only if an opt-in names that address.',
    at: 'sent',
    faultIn({ address, content, effect }, facts) {
      const key = contactKey(address);
      if (effect === undefined || content !== 'template' || facts.messagesFrom(key).length > 0) return undefined;
      const isOptedIn = facts.consents.some((consent) => consent.kind === 'opt-in' && consent.key === key);
      return isOptedIn ? undefined : `${address} got a template, but never wrote or opted in.`;
    },
  },

  windowStays: {
    sentence: 'A free-form message is sent only to an address from which its user wrote in the last 24 hours.',
    at: 'sent',
    faultIn({ address, content, effect }, facts) {
      if (effect === undefined || content !== 'text') return undefined;
      const wroteMs = facts.messagesFrom(contactKey(address)).at(-1)?.eventMs;
      const isOpen = wroteMs !== undefined && effect.at - wroteMs < WINDOW_MS;
      return isOpen ? undefined : `${address} got a free-form message without a window.`;
    },
  },

  erasedEverywhere: {
    sentence:
      "An erasure of any address of a customer leaves nothing of the customer's addresses, nothing that the customer " +
      'wrote from others or that was written to the customer there, and no item of the customer.',
    at: 'erased',
    faultIn({ address, keys, customers, items }, facts) {
      const texts = facts.events.flatMap(({ kind, key, customerId, text }) =>
        kind !== 'status' &&
        ((key !== undefined && keys.has(key)) || (customerId !== undefined && customers.has(customerId)))
          ? [text]
          : [],
      );
      const isOfOther = ({ pk }: Item) =>
        String(pk).startsWith('CUSTOMER#') && ![...customers].some((customer) => String(pk).endsWith(`#${customer}`));
      for (const text of [...texts.filter(isUnique), ...keys]) {
        const left = items.find((item) => !isOfOther(item) && containsText(item, text));
        if (left) return `After the erasure of ${address}, ${left.pk} ${left.sk} contains ${text}`;
      }
      const send = items.find(
        (item) => String(item.pk).startsWith('SEND#') && [...customers].some((id) => containsText(item, id)),
      );
      if (send) return `After the erasure of ${address}, ${send.pk} names the customer.`;
      const customer = items.find(({ pk }) => [...customers].some((id) => pk === `CUSTOMER#chat#${id}`));
      return customer && `After the erasure of ${address}, ${customer.pk} ${customer.sk} is left.`;
    },
  },

  othersStay: {
    sentence: 'An erasure removes no message of anyone else.',
    at: 'erased',
    faultIn({ address, keys, customers, items }, facts) {
      const lost = facts.events.find(
        ({ kind, key, customerId, text, isQuarantined }) =>
          (kind === 'message' || kind === 'edit') &&
          isQuarantined !== true &&
          isUnique(text) &&
          !(key !== undefined && keys.has(key)) &&
          !(customerId !== undefined && customers.has(customerId)) &&
          // Without a customer, it can be of any who wrote from there.
          !(customerId === undefined && isUsedBy(facts, key, customers)) &&
          !items.some((item) => containsText(item, text)),
      );
      return lost && `The erasure of ${address} removed ${JSON.stringify(lost)}.`;
    },
  },

  oneConversation: {
    sentence:
      'A conversation has every message of its address, in any spelling, in the order in which they were written.',
    at: 'read',
    faultIn({ address, messages }, facts) {
      const key = contactKey(address);
      const users = facts.usersOf(key);
      // What was written until the latest message of another customer is the conversation of an earlier user.
      const earlierMs = facts
        .messagesFrom(key)
        .findLast(({ customerId }) => customerId !== undefined && !users.has(customerId))?.eventMs;
      const expected = facts
        .latestFrom(key)
        .filter(({ text, eventMs }) => isUnique(text) && eventMs > (earlierMs ?? 0));
      const missing = expected.find(({ text }) => !containsText(messages, text));
      if (missing) return `The conversation with ${address} lacks ${JSON.stringify(missing)}.`;
      const shown = JSON.stringify(messages);
      const isNewestFirst = expected.every(({ text, eventMs }) =>
        expected.every((other) => other.eventMs <= eventMs || shown.indexOf(other.text) < shown.indexOf(text)),
      );
      return isNewestFirst ? undefined : `The conversation with ${address} is in the wrong order.`;
    },
  },

  sameIdStaysApart: {
    sentence:
      'A conversation and its edited messages show nothing of another user, even if a message of its own user has the same ID.',
    at: 'read',
    faultIn({ address, messages, versions }, facts) {
      const key = contactKey(address);
      const shown = facts.events.find(
        (event) =>
          (event.kind === 'message' || event.kind === 'edit') &&
          event.key !== key &&
          isUnique(event.text) &&
          containsText([messages, versions], event.text),
      );
      return shown && `The conversation with ${address} shows ${JSON.stringify(shown)}.`;
    },
  },

  recycledShowsNothing: {
    sentence:
      'Once the new user of a number has written, the number shows no ID of the earlier user, and no message or request ' +
      'from or to that user.',
    at: 'read',
    faultIn({ address, contact, messages, sends }, facts) {
      const key = contactKey(address);
      const users = facts.usersOf(key);
      const wrote = new Set(facts.messagesFrom(key).map(({ customerId }) => customerId));
      const earlier = facts.events.filter(
        (event) => event.key === key && !users.has(event.customerId ?? '') && wrote.has(event.customerId),
      );
      const shown = earlier.find(
        ({ kind, customerId, text }) =>
          (customerId !== undefined && containsText([contact, sends], customerId)) ||
          (kind !== 'status' && isUnique(text) && customerId !== undefined && containsText(messages, text)),
      );
      return shown && `${address} shows ${JSON.stringify(shown)} of an earlier user.`;
    },
  },
} as const satisfies Record<string, IdentityInvariant>;

/** Whether the user of an address is this customer, and other events named it with nobody else who has never written. */
const isOnlyUser = (facts: IdentityFacts, key: string, customerId: string): boolean => {
  const writers = new Set(facts.messagesFrom(key).map((message) => message.customerId));
  const others = [...facts.namedWith(key)].filter((named) => !writers.has(named));
  const users = facts.usersOf(key);
  return users.size === 1 && users.has(customerId) && others.every((other) => other === customerId);
};

export type IdentityInvariantName = keyof typeof IDENTITY_INVARIANTS;

/** The contract's Limits: "User conversation window: 24 hours since the user's last message". */
const WINDOW_MS = 24 * 60 * 60 * 1000;

/** Whether one of the customers ever wrote from an address. */
const isUsedBy = (facts: IdentityFacts, key: string | undefined, customers: ReadonlySet<string>): boolean =>
  key !== undefined &&
  facts.messagesFrom(key).some(({ customerId }) => customerId !== undefined && customers.has(customerId));

/** Whether a text identifies its message. */
const isUnique = (text: string): boolean => text.endsWith('.');
