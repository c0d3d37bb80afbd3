import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventDetails } from '../../../../lambdas/domain/events/event-details.ts';
import { EVERY_TRANSITION, SEND_WRITES, UNSENT_CALL } from '../../../../lambdas/laws/send-writes.ts';
import { recordWrites } from './recorded-writes.ts';

/** A line of JSON for each write. After an intended change of the format, WRITE_RECORDED_ITEMS=1 writes it again. */
const RECORDING = join(import.meta.dirname, 'recorded-items.jsonl');

describe('the items and events of the table', () => {
  it('stay as they were recorded, because a stage keeps its items over a deployment and consumers know events by id', async () => {
    const lines = await recordWrites();

    if (process.env.WRITE_RECORDED_ITEMS) writeFileSync(RECORDING, `${lines.join('\n')}\n`);
    expect(lines).toEqual(readFileSync(RECORDING, 'utf8').trimEnd().split('\n'));
  });

  it('are recorded in full: every event that Parley publishes, and every attribute that a send can have', async () => {
    const writes = (await recordWrites()).map((line) => JSON.parse(line));
    const events = writes.flatMap((write) => write.events ?? []).map(({ name }) => name);
    const attributes = writes.filter(({ item }) => item.endsWith(' SEND')).flatMap(({ set }) => Object.keys(set));

    expect(Object.keys(eventDetails).filter((name) => !events.includes(name))).toEqual([]);
    const written = [...Object.values(SEND_WRITES).flat(), ...EVERY_TRANSITION, ...UNSENT_CALL];
    expect(written.filter((name) => !attributes.includes(name))).toEqual([]);
  });
});
