import { throwing } from '../world/faults.ts';
import { bodyOf, type Post } from '../world/post.ts';
import type { createReceiveProcess } from '../world/receive-process.ts';
import type { Turns } from '../world/turns.ts';

/** An answer that does not acknowledge an event, with the faults of the process that gave it. */
export interface Refusal {
  readonly status: number;
  readonly faults: readonly string[];
}

/** The publish/subscribe system, which delivers posts. */
export interface WebhookSender {
  /** The posts that were acknowledged, by their place. */
  readonly acknowledged: ReadonlySet<number>;
  readonly refusals: readonly Refusal[];
  /** Makes one delivery of a post. Returns whether it was acknowledged and the answer arrived. */
  deliver(place: number, process: string, count: number): Promise<boolean>;
  /** A call of the process had a fault. */
  noteFault(process: string, fault: string): void;
  /** The process died. */
  forget(process: string): void;
  key(): string;
}

interface WebhookSenderOptions {
  readonly posts: readonly Post[];
  readonly turns: Turns;
  readonly startReceive: (name: string, aheadMs: number) => ReturnType<typeof createReceiveProcess>;
}

/** How far the arrivals of two deliveries are apart. */
const APART_MS = 1_000;

/** What acknowledges an event. Source: the field notes on services with this contract. */
const ACKNOWLEDGING = [102, 200, 201, 202, 204];

export const createWebhookSender = ({ posts, turns, startReceive }: WebhookSenderOptions): WebhookSender => {
  const acknowledged = new Set<number>();
  const refusals: Refusal[] = [];
  /** The faults of each process that has not answered yet. */
  const faults = new Map<string, readonly string[]>();

  return {
    acknowledged,
    refusals,
    async deliver(place, process, count) {
      const post = posts[place];
      if (post === undefined) return false;
      const headers = {
        'x-goog-pubsub-message-id': `delivery-${place}`,
        ...(post.publishedAt && { 'x-goog-pubsub-publish-time': post.publishedAt }),
      };
      // Each delivery arrives at its own time, although any of them can be the first to be processed.
      const aheadMs = (place + posts.length * (count - 1)) * APART_MS;
      const request = { headers, body: bodyOf(post) };
      const status = await startReceive(process, aheadMs)
        .post(request)
        .catch(() => 500);
      const isAcknowledged = ACKNOWLEDGING.includes(status);
      const had = faults.get(process) ?? [];
      faults.delete(process);
      await turns.call({
        process,
        label: `answer ${status}`,
        perform() {
          if (status !== 200) refusals.push({ status, faults: had });
          if (isAcknowledged) acknowledged.add(place);
        },
        // The connection breaks before the answer arrives.
        failures: { 'fails-before': throwing<void>('The connection')['fails-before'] },
        canEndProcess: false,
        isIndependent: true,
      });
      return isAcknowledged;
    },
    noteFault(process, fault) {
      faults.set(process, [...(faults.get(process) ?? []), fault]);
    },
    forget(process) {
      faults.delete(process);
    },
    key: () => JSON.stringify([[...acknowledged].toSorted(), refusals, [...faults].toSorted()]),
  };
};
