import { beforeEach, describe, expect, it } from 'vitest';
import { createDynamodbAudit } from '../../../../../lambdas/adapters/dynamodb/audit.ts';
import { createDynamodbErasures } from '../../../../../lambdas/adapters/dynamodb/erasures.ts';
import type { RequestedAct } from '../../../../../lambdas/domain/audit.ts';
import { type ContactRef, contactRef } from '../../../../../lambdas/domain/contact.ts';
import type { AuditRepository, ErasureRepository, ListPosition } from '../../../../../lambdas/ports.ts';
import { NOW, USER } from '../../../../support/builders.ts';
import { contractTables } from '../../../../support/contract-tables.ts';

const tables = contractTables();
let audit: AuditRepository;
let erasures: ErasureRepository;

beforeEach(async () => {
  const table = tables.tableOf(await tables.createTable());
  let ids = 0;
  audit = createDynamodbAudit(table, { newId: () => `entry-${++ids}` });
  erasures = createDynamodbErasures(table);
});

const contact = contactRef('chat', USER);
const user = [{ subject: contact }];
const at = (second: number) => `2026-11-20T12:00:0${second}.000Z`;
const act = (second: number, about?: ContactRef): RequestedAct => ({
  at: at(second),
  action: 'opt-out',
  caller: { arn: 'arn:aws:sts::111122223333:assumed-role/operator/ana', id: 'AROAEXAMPLEID:ana' },
  ...(about && { contact: about }),
  details: { source: 'call', consentAt: at(second) },
});

const listAll = async (period: Parameters<AuditRepository['list']>[0]): Promise<readonly string[]> => {
  const ids: string[] = [];
  let after: ListPosition | undefined;
  do {
    const page = await audit.list(period, { limit: 2, ...(after && { after }) });
    ids.push(...page.entries.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);
  return ids;
};

describe('the audit trail', () => {
  it('has an entry for each act, also for equal ones, and returns it as it was recorded', async () => {
    expect(await audit.record(act(1, contact))).toEqual({ ...act(1, contact), id: 'entry-1' });
    await audit.record(act(1, contact));

    const { entries } = await audit.list({}, { limit: 10 });

    expect(entries.map(({ id }) => id).toSorted()).toEqual(['entry-1', 'entry-2']);
    for (const { id, ...entry } of entries) expect(entry, id).toEqual(act(1, contact));
  });

  it('lists each entry of a period once over all pages, newest first, optionally of one user', async () => {
    const other = contactRef('chat', 'CO.1000');
    for (const [index, about] of [contact, other, undefined, contact, contact].entries()) {
      await audit.record(act(index + 1, about));
    }
    const names = (...numbers: readonly number[]) => numbers.map((number) => `entry-${number}`);

    expect(await listAll({})).toEqual(names(5, 4, 3, 2, 1));
    expect(await listAll({ user: [...user, { subject: other, earlier: { customerIds: [], until: at(1) } }] })).toEqual(
      names(5, 4, 2, 1),
    );
    expect(await listAll({ since: at(2), until: at(4) })).toEqual(names(4, 3, 2));
    expect(await listAll({ user })).toEqual(names(5, 4, 1));
    expect(await listAll({ user, since: at(2), until: at(4) })).toEqual(names(4));
  });

  it('keeps the act and its caller when the contact is erased, and nothing about the contact', async () => {
    await audit.record(act(1, contact));
    const entry = { kind: 'audit', id: 'entry-1' } as const;

    expect(await erasures.erase(contactRef('chat', 'CO.1000'), entry, NOW)).toBe('gone');
    expect(await erasures.erase(contact, entry, NOW)).toBe('erased');
    expect(await erasures.erase(contact, entry, NOW)).toBe('gone');

    const { contact: _contact, ...rest } = act(1);
    expect((await audit.list({}, { limit: 10 })).entries).toEqual([
      { ...rest, id: 'entry-1', erasedAt: NOW, details: { consentAt: at(1) } },
    ]);
    expect(await listAll({ user })).toEqual([]);
  });
});
