import { type CheckedContact, contactCheckOutcome } from '../domain/contact-check.ts';
import type { ChatService, Clock, ConversationDesk } from '../ports.ts';
import { type Answer, ok, problem } from './answer.ts';
import { type ContactNaming, contactOf } from './contact-of.ts';
import { type ManagementCall, readBody } from './input.ts';
import { contactCheckRequest } from './requests.ts';
import { sideBySide } from './side-by-side.ts';

export interface CheckContactsPorts extends ContactNaming {
  readonly chatService: Pick<ChatService, 'checkContacts'>;
  readonly desk: ConversationDesk;
  readonly clock: Clock;
}

/** The contract leaves the size of a check open; a batch of this size is small for any service. */
const BATCH = 100;
/** Writes that go on at once. */
const WRITES = 20;

type Checked = { readonly kind: 'checked'; readonly checks: ReadonlyMap<string, CheckedContact> };

/** Asks the chat service which numbers are on the platform, and remembers the answer on each contact. */
export const createCheckContacts =
  (ports: CheckContactsPorts) =>
  async ({ bodyText }: ManagementCall): Promise<Answer> => {
    const body = readBody(contactCheckRequest, bodyText);
    if (body.kind === 'faulty') return body.answer;
    const { remember = true, chatChannelNumber = ports.chatChannelNumber, chatPlatform } = body.value;
    const checked = await askAll(ports, chatChannelNumber, [...new Set(body.value.contacts)]);
    if (checked.kind === 'failed') {
      return problem(502, 'CHAT_SERVICE_FAILED', `The contacts could not be checked. ${checked.explanation}.`);
    }
    const results = [...checked.checks];
    await sideBySide(WRITES, remember ? results : [], ([platformContactId, check]) =>
      ports.desk.recordCheck(contactOf(ports, { platformContactId, chatPlatform, chatChannelNumber }), check),
    );
    return ok({
      contacts: results.map(([contact, { checkedAt, checkedAddress }]) => ({
        contact,
        at: checkedAt,
        onPlatform: checkedAddress !== undefined,
        platformContactId: checkedAddress,
      })),
    });
  };

/** In batches, one after another; the first that fails ends it. */
const askAll = async (
  { chatService, clock }: CheckContactsPorts,
  chatChannelNumber: string,
  contacts: readonly string[],
): Promise<Checked | { readonly kind: 'failed'; readonly explanation: string }> => {
  const checks = new Map<string, CheckedContact>();
  for (let start = 0; start < contacts.length; start += BATCH) {
    const batch = contacts.slice(start, start + BATCH);
    const outcome = contactCheckOutcome(await chatService.checkContacts(chatChannelNumber, batch));
    if (outcome.kind !== 'checked') return { kind: 'failed', explanation: outcome.explanation };
    const checkedAt = clock.now();
    for (const contact of batch) checks.set(contact, { checkedAt, checkedAddress: outcome.result.get(contact) });
  }
  return { kind: 'checked', checks };
};
