import { expect, test } from 'vitest';
import { createAttemptLog } from '../../../../sandbox/delivery/attempt-log.ts';
import { type DeliveryAttempt, shownBody } from '../../../../sandbox/delivery/published-message.ts';

const anAttempt = (event: unknown, attempt = 1): DeliveryAttempt => ({
  messageId: '1',
  shownBody: Buffer.from(typeof event === 'string' ? event : JSON.stringify(event)),
  attempt,
  at: new Date('2026-01-31T10:00:00.000Z'),
  status: 200,
});

test('finds the attempts of an event by its id, including those of an earlier run', () => {
  const earlier = anAttempt({ _id_: 'one' });
  const log = createAttemptLog([earlier]);
  const [other, again] = [anAttempt({ _id_: 'two' }), anAttempt({ _id_: 'one', STATUS: 'read' }, 2)];
  for (const attempt of [other, again]) log.add(attempt);

  expect(log.of('one')).toEqual([earlier, again]);
  expect(log.of('two')).toEqual([other]);
  expect(log.of('three')).toEqual([]);
  expect(log.latest()).toEqual([earlier, other, again]);
});

test("finds an id with spaces or quotes around it, in a shortened body, and not in a message's text", () => {
  const log = createAttemptLog();
  const long = Buffer.from(`{"_id_":"long","MESSAGE":"${'x'.repeat(20_000)}"}`);
  const message = { messageId: '1', publishedAt: new Date(0), body: long, attempts: 0, state: 'waiting' as const };
  log.add({ ...anAttempt({}), shownBody: shownBody(message) });
  log.add(anAttempt('{ "_id_" : "spaced" }'));
  log.add(anAttempt({ _id_: 'a "quoted" \\ id' }));
  log.add(anAttempt({ _id_: 'text', MESSAGE: '"_id_":"planted"' }));
  log.add(anAttempt('{"_id_":"bad \\x escape"}'));
  log.add(anAttempt('not JSON'));

  const found = ['long', 'spaced', 'a "quoted" \\ id', 'text'].map((id) => log.of(id).length);
  expect(found).toEqual([1, 1, 1, 1]);
  expect(log.of('planted')).toEqual([]);
});

test('forgets the attempts that it drops', () => {
  const log = createAttemptLog([], 10);
  for (let number = 0; number < 21; number += 1) log.add(anAttempt({ _id_: number < 3 ? 'old' : `id-${number % 2}` }));

  expect(log.latest()).toHaveLength(10);
  expect(log.of('old')).toEqual([]);
  expect([...log.of('id-0'), ...log.of('id-1')]).toHaveLength(10);
});
