import type { CheckedContact } from '../domain/contact-check.ts';
import { type ContactCheckOutcome, contactCheckOutcome } from '../domain/contact-check.ts';
import type { ChatService, Clock } from '../ports.ts';

/** What came of one number's check. */
export type NumberCheck =
  | { readonly kind: 'checked'; readonly checked: CheckedContact }
  | Exclude<ContactCheckOutcome, { kind: 'checked' }>;

interface Waiting {
  readonly number: string;
  readonly tell: (check: NumberCheck) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Checks numbers on the platform, many in one call: what is asked while a call is on its way goes together in the next
 * one, so a batch of any size costs two calls a channel.
 */
export const createContactChecker = ({
  chatService,
  clock,
}: {
  readonly chatService: ChatService;
  readonly clock: Clock;
}) => {
  const waiting = new Map<string, Waiting[]>();
  const busy = new Set<string>();

  const askAll = async (channel: string, asked: readonly Waiting[]): Promise<void> => {
    try {
      const numbers = [...new Set(asked.map(({ number }) => number))];
      const outcome = contactCheckOutcome(await chatService.checkContacts(channel, numbers));
      for (const { number, tell } of asked) tell(checkOf(outcome, number, clock.now()));
    } catch (error) {
      for (const { fail } of asked) fail(error);
    }
  };

  const work = async (channel: string): Promise<void> => {
    if (busy.has(channel)) return;
    busy.add(channel);
    for (let asked = waiting.get(channel) ?? []; asked.length > 0; asked = waiting.get(channel) ?? []) {
      waiting.delete(channel);
      await askAll(channel, asked);
    }
    busy.delete(channel);
  };

  /** @param channel the business's own number */
  return (channel: string, number: string): Promise<NumberCheck> =>
    new Promise((tell, fail) => {
      waiting.set(channel, [...(waiting.get(channel) ?? []), { number, tell, fail }]);
      void work(channel);
    });
};

const checkOf = (outcome: ContactCheckOutcome, number: string, checkedAt: string): NumberCheck => {
  if (outcome.kind !== 'checked') return outcome;
  return { kind: 'checked', checked: { checkedAt, checkedAddress: outcome.result.get(number) } };
};
