import { describe, expect, it } from 'vitest';
import { planImport } from '../../../../cli/import/plan-import.ts';
import { findEntries } from '../../../../cli/import/read-history.ts';
import { MAX_IMPORT_BYTES } from '../../../../lambdas/manage/api/imports.ts';
import { NOW, USER } from '../../../support/builders.ts';

const CONTEXT = { now: NOW, chatPlatform: 'chat', windowPer: 'user' } as const;

const line = (number: number, changes: Record<string, unknown> = {}) =>
  JSON.stringify({ id: `m-${number}`, creationTime: NOW, from: 'user', chat: { contactId: USER }, ...changes });

const planOf = (text: string) => planImport(findEntries('history', text), CONTEXT);

describe('a plan', () => {
  it('has all of a hundred thousand lines except the bad one', () => {
    const lines = Array.from({ length: 100_000 }, (_, number) => line(number));
    lines[77_776] = lines[77_776]?.slice(0, -1) ?? '';

    const plan = planOf(lines.join('\n'));

    expect(plan).toMatchObject({
      entries: 99_999,
      users: 1,
      unreadable: { 'It is not JSON.': { count: 1, rows: [77_777] } },
      noun: ['line', 'lines'],
    });
    expect(plan.chunks).toHaveLength(1_000);
  });

  it('makes calls that the management API accepts', () => {
    const long = { content: { text: 'x'.repeat(200_000) } };
    const post = (number: number) =>
      JSON.stringify({
        v: '1.1',
        type: 'message',
        contactId: USER,
        messages: Array.from({ length: 90 }, (_, index) => ({ _id: `p-${number}-${index}`, date: NOW, from: 'user' })),
      });
    const { chunks } = planOf(
      [...[1, 2, 3, 4, 5, 6].map((number) => line(number, long)), post(1), post(2), post(3)].join('\n'),
    );

    expect(chunks.map(({ entries }) => entries.length)).toEqual([5, 3, 1]);
    for (const { entries } of chunks) {
      const bytes = entries.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, 0);
      expect(bytes).toBeLessThan(MAX_IMPORT_BYTES);
    }
  });

  it('leaves out what no call can have', () => {
    expect(planOf(`${line(1)}\n${line(2, { text: 'x'.repeat(MAX_IMPORT_BYTES) })}`)).toMatchObject({
      entries: 1,
      unreadable: { 'It is larger than 1047552 bytes.': { rows: [2] } },
    });
  });

  it('keeps the text of each entry, and counts the entries of a document', () => {
    const text = `{ "count": 2, "messages": [ ${line(1).replace('{', '{ "n": 1.0, ')} , {"id": 2} ], "hasMore": false }`;

    const { chunks, unreadable, noun } = planOf(text);

    expect(chunks[0]?.entries).toEqual([{ number: 1, text: line(1).replace('{', '{ "n": 1.0, ') }]);
    expect(Object.values(unreadable)).toMatchObject([{ rows: [2] }]);
    expect(noun).toEqual(['entry', 'entries']);
  });

  it('is another import if its calls have other entries, because an import is continued by the number of its calls', () => {
    const history = findEntries('history', [1, 2, 3].map((number) => line(number)).join('\n'));
    const limits = { entries: 2, events: 200, bytes: 100_000 };

    const plan = planImport(history, CONTEXT, limits);

    expect(plan.chunks.map(({ entries }) => entries.length)).toEqual([2, 1]);
    expect(plan.contentId).toBe(planImport(history, CONTEXT, limits).contentId);
    expect(plan.contentId).not.toBe(planImport(history, CONTEXT).contentId);
  });

  it('names the business numbers of the entries', () => {
    const channel = (id: string) => ({ chat: { contactId: USER, channelId: id } });
    const text = [line(1), line(2, channel('acme-whatsapp-5491100000000')), line(3, channel('x-5491100000001'))];

    expect(planOf(text.join('\n'))).toMatchObject({
      numbers: ['+5491100000000', '+5491100000001'],
      someContacts: [{ key: expect.any(String) }],
    });
  });

  it('is another import if an entry is readable that was not', () => {
    const text = `${line(1)}\n${line(2, { creationTime: '2026-11-20T12:00:01.000Z' })}`;
    const later = planImport(findEntries('history', text), { ...CONTEXT, now: '2026-12-01T00:00:00.000Z' });

    expect(planOf(text).entries).toBe(1);
    expect(later.entries).toBe(2);
    expect(later.contentId).not.toBe(planOf(text).contentId);
  });
});
