import { describe, expect, it } from 'vitest';
import { NOW } from '../../support/builders.ts';
import { createVirtualClock } from '../world/virtual-clock.ts';
import { PLAIN_FEATURES } from './draw-features.ts';
import { createStageContext } from './stage-context.ts';
import { createTableStream, type TableStreamRecord } from './table-stream.ts';

const FEATURES = { ...PLAIN_FEATURES, batchSize: { send: 10, inbound: 10, stream: 2 } };

/** A stream whose function responds as given, with the batches that the function received. */
const createStream = (failuresOf: (batch: readonly string[], invocation: number) => readonly string[] = () => []) => {
  const clock = createVirtualClock(NOW);
  const history = { seed: 1, features: FEATURES, acts: [] };
  const context = createStageContext({ history, clock, calmAtMs: clock.ms });
  const batches: TableStreamRecord[][] = [];
  const discarded: string[] = [];
  const stream = createTableStream({
    context,
    onFailureQueue: { put: ({ body }) => void discarded.push(body) },
    async invoke(records) {
      batches.push([...records]);
      const numbers = records.map(({ dynamodb }) => dynamodb.SequenceNumber);
      const failures = failuresOf(numbers, batches.length).map((itemIdentifier) => ({ itemIdentifier }));
      return { ok: true, payload: JSON.stringify({ batchItemFailures: failures }) };
    },
  });
  const run = async () => {
    for (let entry = context.agenda.take(); entry !== undefined; entry = context.agenda.take()) {
      clock.moveTo(Math.max(clock.ms, entry.atMs));
      entry.happen?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const sizes = () => batches.map(({ length }) => length);
  return { stream, run, batches, sizes, discarded };
};

const item = (state: string) => ({ pk: 'SEND#request-1', sk: 'SEND', state, at: NOW });

describe("the table's stream", () => {
  it('has both images of an item', async () => {
    const { stream, run, batches } = createStream();
    stream.add({ before: undefined, after: item('claimed') });
    stream.add({ before: item('claimed'), after: item('accepted') });
    await run();

    const records = batches.flat();
    expect(records.map(({ eventName }) => eventName)).toEqual(['INSERT', 'MODIFY']);
    expect(records[1]?.dynamodb).toMatchObject({
      Keys: { pk: { S: 'SEND#request-1' }, sk: { S: 'SEND' } },
      OldImage: { state: { S: 'claimed' } },
      NewImage: { state: { S: 'accepted' } },
    });
  });

  it('has no record of a write that changes nothing, and the mapping passes on no removal', async () => {
    const { stream, run, batches } = createStream();
    expect(stream.add({ before: item('claimed'), after: item('claimed') })).toBe(false);
    expect(stream.add({ before: item('claimed'), after: undefined })).toBe(true);
    await run();

    expect(batches).toEqual([]);
  });

  it('passes on batches of a shard in order, and retries from the first record that failed', async () => {
    const states = ['scheduled', 'waiting', 'claimed', 'uncertain', 'accepted'].map(item);
    const { stream, run, batches, sizes } = createStream((numbers, invocation) =>
      invocation === 1 ? numbers.slice(1, 2) : [],
    );
    for (const [index, after] of states.entries()) stream.add({ before: states[index - 1], after });
    await run();

    expect(sizes()).toEqual([2, 1, 2, 1]);
    const seen = batches.flat().map(({ dynamodb }) => dynamodb.NewImage?.state?.S);
    expect(seen).toEqual(['scheduled', 'waiting', 'waiting', 'claimed', 'uncertain', 'accepted']);
  });

  it('discards a record that fails for twelve hours', async () => {
    const { stream, run, discarded } = createStream((numbers) => numbers);
    stream.add({ before: undefined, after: item('claimed') });
    await run();

    expect(discarded.map((body) => JSON.parse(body))).toEqual([
      expect.objectContaining({ requestContext: { condition: 'RecordAgeExceeded' } }),
    ]);
  });
});
