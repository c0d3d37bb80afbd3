import { createHash } from 'node:crypto';
import { type Contact, contactSchema } from '../../domain/contact.ts';
import type { ContactRepository } from '../../ports.ts';
import { parseCircuit } from './circuit.ts';
import { accountKey, contactKeyOf } from './keys.ts';
import { type ConversationTable, parseItem } from './table.ts';

/** Creates the repository of contacts. */
export const createDynamodbContacts = (table: ConversationTable): ContactRepository => ({
  async read(contact) {
    const item = await table.get(contactKeyOf(contact));
    return item && parseContact(item);
  },

  async readWithCircuit(contact, account) {
    const [contactItem, accountItem] = await table.getAll([contactKeyOf(contact), accountKey(account)]);
    return { contact: parseContact(contactItem ?? {}), circuit: parseCircuit(accountItem) };
  },

  async openWindow({ contact, id, time, body, address, name, customerId }) {
    await table.update({
      key: contactKeyOf(contact),
      set: {
        lastInboundAt: time.at,
        lastInboundId: id,
        // Breaks the tie between messages of the same millisecond, regardless of their order.
        lastInboundDigest: createHash('sha256').update(body).digest('base64'),
        address,
        name,
        customerId,
      },
      condition:
        'attribute_not_exists(#lastInboundAt) OR #lastInboundAt < :lastInboundAt OR ' +
        '(#lastInboundAt = :lastInboundAt AND #lastInboundDigest < :lastInboundDigest)',
    });
  },

  async denyWindow(contact, at) {
    await table.update({
      key: contactKeyOf(contact),
      set: { windowDeniedAt: at },
      condition: 'attribute_not_exists(#windowDeniedAt) OR #windowDeniedAt < :windowDeniedAt',
    });
  },

  async recordCheck(contact, { checkedAt, checkedAddress }) {
    await table.update({
      key: contactKeyOf(contact),
      set: { checkedAt, checkedAddress },
      condition: 'attribute_not_exists(#checkedAt) OR #checkedAt < :checkedAt',
    });
  },

  async recordConsent(contact, { kind, at, source, recordedAt = at }) {
    const prefix = kind === 'opt-in' ? 'optIn' : 'optOut';
    const [time, origin, recorded] = [`${prefix}At`, `${prefix}Source`, `${prefix}RecordedAt`];
    await table.update({
      key: contactKeyOf(contact),
      set: { [time]: at, [origin]: source, [recorded]: recordedAt },
      condition:
        `attribute_not_exists(#${time}) OR #${time} < :${time} OR (#${time} = :${time} AND #${origin} < :${origin}) OR ` +
        // A repetition after an erasure was requested counts, because the erasure removes what was recorded before.
        `(#${time} = :${time} AND #${origin} = :${origin} AND #${recorded} < :${recorded})`,
    });
  },
});

const parseContact = (item: unknown): Contact => parseItem(contactSchema, item);
