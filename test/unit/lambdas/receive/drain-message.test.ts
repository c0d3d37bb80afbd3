import { describe, expect, it } from 'vitest';
import { encodePost, type VerifiedPost } from '../../../../lambdas/domain/verified-post.ts';
import type { WriteResult } from '../../../../lambdas/ports.ts';
import { createDrainMessage } from '../../../../lambdas/receive/drain-message.ts';
import type { StoredEvent } from '../../../../lambdas/receive/store-event.ts';
import { NOW } from '../../../support/builders.ts';
import { countingMetrics, silentLog } from '../../../support/silent.ts';
import { sqsRecord } from '../../../support/sqs-record.ts';

const POST: VerifiedPost = { rawBody: Buffer.from('{}'), receivedAt: NOW, chatChannelNumber: '5491100000000' };
const UNREACHABLE: StoredEvent = { kind: 'unreachable', reason: 'TimeoutError' };
const UNSTORABLE: StoredEvent = { kind: 'unstorable', reason: 'No event that we know.', carrierMessageId: '77' };

/** Drains a message in a world where all is well but for what the test says; answers what was done. */
const drain = async (
  body: string,
  {
    stored = { kind: 'stored', event: 'message', id: '1' } as StoredEvent,
    kept = { kind: 'written' } as WriteResult,
    receiveCount = 1,
  } = {},
) => {
  const posts: VerifiedPost[] = [];
  const quarantined: [VerifiedPost, string][] = [];
  const metrics = countingMetrics();
  const handle = createDrainMessage({
    storeEvent: async (post) => {
      posts.push(post);
      return stored;
    },
    inboundQueue: {
      defer: async () => kept,
      quarantine: async (post, reason) => {
        quarantined.push([post, reason]);
        return kept;
      },
    },
    randomness: { newId: () => 'id', fraction: () => 0.999 },
    log: silentLog,
    metrics,
  });
  const result = await handle(sqsRecord(body, { ApproximateReceiveCount: String(receiveCount) }));
  return { result, posts, quarantined, counted: metrics.counted };
};

describe('a post in the inbound queue', () => {
  it('is stored as it came, with the number of its path', async () => {
    const { result, posts, counted } = await drain(encodePost(POST));
    expect([result, counted]).toEqual([{ kind: 'done' }, ['EventStored']]);
    expect(posts).toEqual([POST]);
  });

  it.each([
    [1, 1_000],
    [3, 4_000],
    [50, 60_000],
  ])(
    'waits, the %d. time the table is out of reach, for about %d ms and never more than a minute',
    async (receiveCount, ms) => {
      const { result } = await drain(encodePost(POST), { stored: UNREACHABLE, receiveCount });
      expect(result).toEqual({ kind: 'again', afterMs: expect.closeTo(ms, -1) });
    },
  );

  it('that is no event is kept aside, with the carrier’s id from its envelope', async () => {
    const { result, quarantined } = await drain(encodePost(POST), { stored: UNSTORABLE });
    expect(result).toEqual({ kind: 'done' });
    expect(quarantined).toEqual([[{ ...POST, carrierMessageId: '77' }, UNSTORABLE.reason]]);
  });

  it('comes again when it can be neither stored nor kept aside', async () => {
    const kept: WriteResult = { kind: 'unreachable', reason: 'TimeoutError' };
    expect((await drain(encodePost(POST), { stored: UNSTORABLE, kept })).result).toEqual({ kind: 'again' });
  });
});

describe('a message that somebody else put there', () => {
  it('is kept aside for a person, whole, and never read as an event', async () => {
    const { result, posts, quarantined } = await drain('hello');
    expect([result, posts]).toEqual([{ kind: 'done' }, []]);
    expect(quarantined).toEqual([
      [{ rawBody: Buffer.from('hello'), receivedAt: NOW }, expect.stringContaining('No post of the webhook')],
    ]);
  });
});
