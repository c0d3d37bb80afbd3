import type { AuditRepository, Randomness, UserPart } from '../../ports.ts';
import { parseAuditEntry } from '../../table/audit-item.ts';
import { BY_STATE, contactSort, stateShard, stateShards } from '../../table/indexes.ts';
import { auditKey, type ItemKey, idOf, subjectName } from '../../table/keys.ts';
import { readWithinBudget } from './page-budget.ts';
import { listShards } from './shard-list.ts';
import { listSubjects, type SubjectList } from './subject-list.ts';
import type { ConversationTable } from './table.ts';

/** Creates the repository of the audit trail. Each entry is created once; only an erasure changes it. */
export const createDynamodbAudit = (
  table: ConversationTable,
  { newId }: Pick<Randomness, 'newId'>,
): AuditRepository => ({
  async record(act) {
    const { at, action, caller, contact, customer, details } = act;
    const subject = contact ?? customer;
    const id = newId();
    await table.update({
      key: auditKey(id),
      set: {
        at,
        action,
        caller: caller.arn,
        callerId: caller.id,
        ...(subject && { contact: subjectName(subject), contactSort: contactSort('AUDIT', at) }),
        ...(customer && { customerId: customer.customerId }),
        ...details,
        stateShard: stateShard('audit', id),
        stateAt: at,
        expiresAt: table.expiryOf('audit', at),
      },
      condition: 'attribute_not_exists(#at)',
    });
    return { ...act, id };
  },

  async list({ since, until, user }, { limit, after }) {
    const page = { since, until, limit, after };
    const { ids, nextAfter } = user ? await listOfUser(table, user, page) : await listAll(table, page);
    const { values: entries, used } = await readWithinBudget(ids, async (chunk) => {
      const items = await table.getAll(chunk.map(auditKey));
      return items.map((item) => item && parseAuditEntry(item));
    });
    const next = nextAfter(used);
    return { entries, ...(next && { next }) };
  },
});

type ListOptions = Omit<SubjectList, 'kind'>;

const listAll = async (table: ConversationTable, { since, until, ...page }: ListOptions) => {
  const list = { index: BY_STATE, shards: stateShards('audit'), from: since, to: until, keyOf: auditKey };
  const { entries, nextAfter } = await listShards(table, { ...list, ...page, isDescending: true });
  return { ids: entries.map(({ id }) => id), nextAfter };
};

const listOfUser = async (table: ConversationTable, user: readonly UserPart[], page: ListOptions) => {
  const { entries, nextAfter } = await listSubjects(table, user, { kind: 'AUDIT', ...page });
  return { ids: entries.map(({ pk }) => idOf(pk)), nextAfter };
};

/** The attributes, besides the contact itself, that can contain personal data. */
const PERSONAL = ['contact', 'contactSort', 'platformContactId', 'source', 'note', 'customerId'] as const;

/**
 * Removes the contact and the text about it from an entry, and keeps the caller, the action, and the time. Otherwise, a
 * caller who recorded a wrong consent could hide it by erasing the contact.
 */
export const eraseAuditEntry = async (
  table: ConversationTable,
  key: ItemKey,
  contact: string,
  at: string,
): Promise<'erased' | 'gone'> => {
  const { kind } = await table.update({
    key,
    set: { ...Object.fromEntries(PERSONAL.map((name) => [name, undefined])), erasedAt: at },
    values: { ofContact: contact },
    condition: '#contact = :ofContact',
  });
  return kind === 'written' ? 'erased' : 'gone';
};
