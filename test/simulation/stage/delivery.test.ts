import { describe, expect, it } from 'vitest';
import { PLAIN_FEATURES } from './draw-features.ts';
import { playHistory } from './play-history.ts';
import { entriesOf, features, history, START_MS, writes } from './small-histories.ts';
import { checkRun } from './stage-invariants.ts';

const without = (envelope: 'without-publish-time' | 'none', withoutTimeRate: number) =>
  features({ delivery: { ...PLAIN_FEATURES.delivery, withoutTimeRate, envelope } });
const unknown = { kind: 'unknown-event', body: 'ping', afterMs: 0 } as const;

describe.each(['without-publish-time', 'none'] as const)('a delivery with the envelope: %s', (envelope) => {
  it('gives an event without a time the time of its arrival', async () => {
    const run = await playHistory(history([writes()], { features: without(envelope, 1) }));
    const message = [...run.items.values()].find(({ direction }) => direction === 'inbound');
    const [start] = entriesOf(run, 'invoked');
    expect(message).toMatchObject({
      createdAtSource: 'arrival',
      createdAt: new Date(start?.atMs ?? START_MS).toISOString(),
    });
    expect(checkRun(run)).toEqual([]);
  });

  it('keeps the time of an event that has one', async () => {
    const run = await playHistory(history([writes()], { features: without(envelope, 0) }));
    const message = [...run.items.values()].find(({ direction }) => direction === 'inbound');
    expect(message).toMatchObject({ createdAtSource: 'event' });
    expect(checkRun(run)).toEqual([]);
  });

  it('can contain an unknown event, which is quarantined unchanged', async () => {
    const run = await playHistory(history([unknown], { features: without(envelope, 0) }));
    const quarantined = entriesOf(run, 'queued').filter(({ queue }) => queue === 'inbound-dead-letters');
    expect(quarantined).toHaveLength(1);
    expect(checkRun(run)).toEqual([]);
  });
});
