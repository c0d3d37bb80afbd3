import { describe, expect, it } from 'vitest';
import type { StatusChange } from '../../../../lambdas/domain/webhook-event.ts';
import type { EventStore, WriteResult } from '../../../../lambdas/ports.ts';
import { createRestingEventStore } from '../../../../lambdas/receive/resting-event-store.ts';
import { NOW } from '../../../support/builders.ts';

const GONE: WriteResult = { kind: 'unreachable', reason: 'TimeoutError' };
const status: StatusChange = { kind: 'status', id: '1', status: 'read', literal: 'read', at: NOW, body: '' };

/** A store whose table answers as the test says, and the clock around it. */
const createWorld = () => {
  const world = { nowMs: Date.parse(NOW), answer: GONE as WriteResult, writes: 0 };
  const write = async () => {
    world.writes += 1;
    return world.answer;
  };
  const table: EventStore = { recordMessage: write, recordStatus: write, openWindow: write, settleSend: write };
  const store = createRestingEventStore(table, { now: () => new Date(world.nowMs).toISOString() });
  return { world, store };
};

describe('a table that did not answer', () => {
  it('is left alone for a second, then asked once more', async () => {
    const { world, store } = createWorld();
    for (let count = 0; count < 10; count += 1)
      expect(await store.recordStatus(status)).toMatchObject({ kind: 'unreachable' });
    expect(world.writes).toBe(1);
    world.nowMs += 1000;
    world.answer = { kind: 'written' };
    expect(await store.recordStatus(status)).toEqual({ kind: 'written' });
    expect(await store.recordStatus(status)).toEqual({ kind: 'written' });
    expect(world.writes).toBe(3);
  });

  it.each<WriteResult>([{ kind: 'written' }, { kind: 'refused', reason: 'too large' }])(
    'is another than one that answered $kind',
    async (answer) => {
      const { world, store } = createWorld();
      world.answer = answer;
      for (let count = 0; count < 3; count += 1) expect(await store.recordStatus(status)).toEqual(answer);
      expect(world.writes).toBe(3);
    },
  );
});
