import { beforeEach, describe, expect, it } from 'vitest';
import { addMs } from '../../../../../lambdas/domain/instant.ts';
import { redriveResponse } from '../../../../../lambdas/manage/api/redrives.ts';
import type { ReceivedDeadLetter, RedrivenMessage } from '../../../../../lambdas/ports.ts';
import { NOW } from '../../../../support/builders.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createManagedStage, type ManagedStage, OPERATOR } from '../managed-stage.ts';

const tables = testTables();
const EARLIER = '2026-11-20T11:00:00.000Z';

let stage: ManagedStage;
let quarantine: Quarantine;
beforeEach(async () => {
  stage = await createManagedStage(tables);
  quarantine = createQuarantine();
  stage.redrivenSources = { inbound: quarantine.deadLetters };
  stage.redriveQueues = { inbound: quarantine.queue };
});

const deadLetter = (id: string, changes: Partial<ReceivedDeadLetter> = {}): ReceivedDeadLetter => ({
  id,
  queue: 'inbound',
  reason: 'not JSON',
  body: `body of ${id}`,
  since: EARLIER,
  receiptHandle: id,
  ...changes,
});

/** A dead-letter queue whose received messages are hidden until they are released, and the inbound queue. */
const createQuarantine = () => {
  const self = {
    visible: [] as ReceivedDeadLetter[],
    hidden: [] as ReceivedDeadLetter[],
    put: [] as string[],
    onPut: (_body: string): void => undefined,
    onReceive: (): void => undefined,
    deadLetters: {
      queue: 'inbound' as const,
      depth: async () => ({ available: self.visible.length, inFlight: 0 }),
      async receive() {
        self.onReceive();
        const received = self.visible.splice(0, 10);
        self.hidden.push(...received);
        return received;
      },
      async remove({ id }: ReceivedDeadLetter) {
        self.hidden = self.hidden.filter((one) => one.id !== id);
      },
      async release(messages: readonly ReceivedDeadLetter[]) {
        self.hidden = self.hidden.filter((one) => !messages.includes(one));
        self.visible.push(...messages);
      },
    },
    queue: {
      url: 'https://queues.example/inbound',
      async put({ body }: RedrivenMessage) {
        self.onPut(body);
        self.put.push(body);
      },
    },
  };
  return self;
};
type Quarantine = ReturnType<typeof createQuarantine>;

/** By default, the function that moved it to the table must have ended. */
const keep = (id: string, changes: Partial<ReceivedDeadLetter> = {}, keptAt = addMs(NOW, -90_000)) => {
  const { receiptHandle: _receiptHandle, ...kept } = deadLetter(id, changes);
  return stage.deadLetters.keep(kept, [], { at: keptAt, keepId: 'keep-1' });
};
const keptIds = async () => (await stage.deadLetters.list('inbound', { limit: 100 })).deadLetters.map(({ id }) => id);
const redrive = async (body: Record<string, unknown> = {}) => {
  const answer = await stage.call('redriveDeadLetters', { body: { queue: 'inbound', ...body } });
  expect(answer.status).toBe(200);
  return redriveResponse.parse(answer.body);
};
const audited = async () => Object(await stage.call('listAudit')).body.entries;

describe('a redrive through the management API', () => {
  it('leaves dead letters that SQS moved there from another queue', async () => {
    quarantine.visible.push(deadLetter('ours'), deadLetter('invented', { isForeign: true }));

    expect(await redrive()).toMatchObject({ moved: 1, left: 1, isComplete: true });
    expect(quarantine.put).toEqual(['body of ours']);
    expect(quarantine.visible.map(({ id }) => id)).toEqual(['invented']);
  });

  it('moves quarantined events from the table and the queue unchanged, and records the caller', async () => {
    await keep('kept-1');
    await keep('of-another-queue', { queue: 'send' });
    quarantine.visible = Array.from({ length: 23 }, (_, index) => deadLetter(`queued-${index}`));

    expect(await redrive()).toEqual({ moved: 24, deleted: 0, left: 0, isComplete: true, before: NOW });

    expect(quarantine.put).toHaveLength(24);
    expect(quarantine.put).toContain('body of kept-1');
    expect([quarantine.visible, quarantine.hidden, await keptIds()]).toEqual([[], [], []]);
    expect(await audited()).toMatchObject([{ action: 'redrive', queue: 'inbound', caller: OPERATOR.arn }]);
  });

  it('moves only those whose reason contains a string, and makes the others visible again', async () => {
    await keep('kept-1', { reason: 'too large' });
    await keep('kept-2');
    quarantine.visible = [deadLetter('a'), deadLetter('b', { reason: 'Too Large: 2 MB' })];

    expect(await redrive({ reason: 'too LARGE' })).toMatchObject({ moved: 2, left: 2, isComplete: true });

    expect(quarantine.put).toEqual(['body of kept-1', 'body of b']);
    expect([quarantine.visible.map(({ id }) => id), quarantine.hidden]).toEqual([['a'], []]);
    expect(await keptIds()).toEqual(['kept-2']);
  });

  it('leaves a dead letter that is being moved to the table, because a late write could add text', async () => {
    await keep('kept-1', {}, addMs(NOW, -80_000));

    expect(await redrive()).toMatchObject({ moved: 0, left: 1, isComplete: true });
    expect([quarantine.put, await keptIds(), await audited()]).toEqual([[], ['kept-1'], []]);
  });

  it.each(['kept-2', 'queued-2'])('moves only one: %s', async (deadLetterId) => {
    await keep('kept-1');
    await keep('kept-2');
    quarantine.visible = [deadLetter('queued-1'), deadLetter('queued-2'), deadLetter('queued-3')];

    expect(await redrive({ deadLetterId })).toMatchObject({ moved: 1, isComplete: true });

    expect(quarantine.put).toEqual([`body of ${deadLetterId}`]);
    expect(quarantine.hidden).toEqual([]);
    expect(await audited()).toMatchObject([{ deadLetterId }]);
  });

  it('never takes a body from its caller', async () => {
    for (const extra of [{ body: '{}' }, { messages: ['{}'] }, { url: 'https://queue.example' }]) {
      const call = { body: { queue: 'inbound', ...extra } };
      expect(await stage.call('redriveDeadLetters', call)).toMatchObject({ status: 400 });
    }
    expect(await stage.call('redriveDeadLetters', { body: { queue: 'another' } })).toMatchObject({ status: 400 });
    expect(quarantine.put).toEqual([]);
  });

  it('does not move an event again that fails again during the redrive', async () => {
    quarantine.visible = [deadLetter('fails')];
    quarantine.onPut = () => {
      stage.setNow(addMs(stage.now(), 50));
      quarantine.visible.push(deadLetter(`failed-${quarantine.put.length}`, { since: stage.now() }));
    };

    expect(await redrive()).toMatchObject({ moved: 1, left: 1, isComplete: true, before: NOW });
    expect(await redrive({ before: NOW })).toMatchObject({ moved: 0, left: 1, isComplete: true });
  });

  it('ends within its time, and the next call continues after the ones that were left', async () => {
    quarantine.visible = Array.from({ length: 30 }, (_, index) =>
      deadLetter(`${index}`, { reason: index < 20 ? 'other' : 'wanted' }),
    );
    quarantine.onReceive = () => stage.setNow(addMs(stage.now(), 8_000));

    const first = await redrive({ reason: 'wanted' });
    const second = await redrive({ reason: 'wanted', before: first.before });
    const third = await redrive({ reason: 'wanted', before: first.before });

    expect([first, second, third].map(({ moved, isComplete }) => [moved, isComplete])).toEqual([
      [0, false],
      [10, true],
      [0, true],
    ]);
  });

  it('stops within a batch if moves are slow, and makes the rest visible again', async () => {
    quarantine.visible = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => deadLetter(id, { groupId: 'ana' }));
    quarantine.onPut = () => stage.setNow(addMs(stage.now(), 8_000));

    expect(await redrive()).toMatchObject({ moved: 3, left: 0, isComplete: false });

    expect(quarantine.put).toEqual(['body of a', 'body of b', 'body of c']);
    expect([quarantine.visible.map(({ id }) => id), quarantine.hidden]).toEqual([['d', 'e', 'f'], []]);
  });

  it('counts the ones that stay in the table once', async () => {
    await keep('kept', { reason: 'other' });
    quarantine.visible = Array.from({ length: 30 }, (_, index) => deadLetter(`${index}`));
    quarantine.onReceive = () => stage.setNow(addMs(stage.now(), 8_000));

    const calls = [await redrive({ reason: 'json' }), await redrive({ reason: 'json' })];

    expect(calls.map(({ left, isComplete }) => [left, isComplete])).toEqual([
      [0, false],
      [1, true],
    ]);
  });

  it('loses nothing and hides nothing if it is interrupted', async () => {
    await keep('kept');
    quarantine.visible = [deadLetter('a'), deadLetter('b', { reason: 'other' })];
    quarantine.onPut = () => {
      throw new Error('killed');
    };
    const call = { body: { queue: 'inbound', reason: 'json' } };
    await expect(stage.call('redriveDeadLetters', call)).rejects.toThrow('killed');
    expect(await keptIds()).toEqual(['kept']);

    await stage.deadLetters.delete('kept');
    await expect(stage.call('redriveDeadLetters', call)).rejects.toThrow('killed');
    expect(quarantine.visible.map(({ id }) => id).toSorted()).toEqual(['a', 'b']);
    expect(quarantine.hidden).toEqual([]);
  });

  it('moves nothing that it cannot record', async () => {
    quarantine.visible = [deadLetter('a')];
    stage.ports.audit = { ...stage.ports.audit, record: () => Promise.reject(new Error('throttled')) };

    await expect(redrive()).rejects.toThrow('throttled');
    expect(quarantine.put).toEqual([]);
  });

  it('records nothing if there is nothing to move', async () => {
    expect(await redrive()).toMatchObject({ moved: 0, isComplete: true });
    expect(await audited()).toEqual([]);
  });

  it.each(['bulk', 'inbound', 'publishing', 'targets'])(
    'is answered with 404 if there is no queue: %s',
    async (queue) => {
      stage.redrivenSources = {};
      stage.redriveQueues = {};
      expect(await stage.call('redriveDeadLetters', { body: { queue } })).toMatchObject({
        status: 404,
        body: { code: 'QUEUE_NOT_FOUND' },
      });
    },
  );
});
