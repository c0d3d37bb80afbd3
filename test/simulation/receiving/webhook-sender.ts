import { throwing } from '../world/faults.ts';
import type { createReceiveProcess } from '../world/receive-process.ts';
import { bodyIn, postOf, type WireEvent, type WireFormat } from '../world/translate-event.ts';
import type { Turns } from '../world/turns.ts';

/** An event that the publish/subscribe system delivers. Two posts can have the same event. */
export interface Post {
  /** An event in the contract's own format, or the body as text. */
  readonly event: WireEvent | string;
  /** Other events of the same post. @default none */
  readonly others?: readonly WireEvent[];
  /** The format in which the events are posted, as far as it can express them. @default the contract's own */
  readonly format?: WireFormat;
  /** When the publish/subscribe system accepted the event, if it says so. */
  readonly publishedAt?: string;
}

/** Delivers each post until it is acknowledged. */
export interface WebhookSender {
  readonly deliveries: readonly PostDeliveries[];
  start(): void;
  /** Repeats no delivery any more. */
  stop(): void;
  /** The process of a delivery died. */
  unanswered(process: string): void;
  key(): string;
}

export interface PostDeliveries {
  readonly body: string;
  readonly post: Post;
  /** The answers other than 200, each with the faults of the process that gave it. */
  readonly refusals: readonly Refusal[];
  readonly isAcknowledged: boolean;
  /** How often it was delivered. */
  readonly count: number;
}

export interface Refusal {
  readonly status: number;
  readonly faults: readonly string[];
}

export interface WebhookSenderOptions {
  readonly posts: readonly Post[];
  readonly turns: Turns;
  /** A post that is refused as often will always be refused. */
  readonly maxDeliveries: number;
  readonly faultsOf: (process: string) => readonly string[];
  readonly startProcess: (name: string, aheadMs: number) => ReturnType<typeof createReceiveProcess>;
}

/** How far the arrivals of two deliveries are apart. */
const APART_MS = 1_000;

/** What acknowledges an event. Source: the field notes on services with this contract. */
const ACKNOWLEDGING = [102, 200, 201, 202, 204];

export const bodyOf = ({ event, others = [], format }: Post): string =>
  postOf([event, ...others].map((one) => (typeof one === 'string' ? one : bodyIn(one, format))));

export const createWebhookSender = ({
  posts,
  turns,
  maxDeliveries,
  faultsOf,
  startProcess,
}: WebhookSenderOptions): WebhookSender => {
  const deliveries = posts.map((post) => ({
    post,
    body: bodyOf(post),
    refusals: [] as Refusal[],
    isAcknowledged: false,
    count: 0,
  }));
  const indexes = new Map<string, number>();
  let isStopped = false;

  const deliver = (index: number): void => {
    const state = deliveries[index];
    if (isStopped || state === undefined || state.isAcknowledged || state.count >= maxDeliveries) return;
    state.count += 1;
    const name = `w${index}.${state.count}`;
    indexes.set(name, index);
    turns.observe(name, 'delivered');
    // Each delivery arrives at its own time, although any of them can be the first to be processed.
    void handle(index, name, (index + posts.length * (state.count - 1)) * APART_MS);
  };

  const handle = async (index: number, name: string, aheadMs: number): Promise<void> => {
    const state = deliveries[index];
    if (state === undefined) return;
    const { publishedAt } = state.post;
    const headers = {
      'x-goog-pubsub-message-id': `delivery-${index}`,
      ...(publishedAt && { 'x-goog-pubsub-publish-time': publishedAt }),
    };
    const process = startProcess(name, aheadMs);
    const status = await process.post({ headers, body: state.body }).catch(() => 500);
    const isAcknowledged = ACKNOWLEDGING.includes(status);
    const faults = faultsOf(name);
    const arrive = () => {
      if (status !== 200) state.refusals.push({ status, faults });
      state.isAcknowledged ||= isAcknowledged;
    };
    const isHeard = await turns
      .call({
        process: name,
        label: `answer ${status}`,
        perform: arrive,
        // The connection breaks before the answer arrives.
        failures: { 'fails-before': throwing<void>('The connection')['fails-before'] },
        canEndProcess: false,
        isIndependent: true,
      })
      .then(
        () => true,
        () => false,
      );
    // The process died, and the delivery was repeated already.
    if (!indexes.delete(name)) return;
    turns.forget(name);
    if (!isHeard || !isAcknowledged) deliver(index);
  };

  return {
    deliveries,
    start() {
      for (const index of posts.keys()) deliver(index);
    },
    stop() {
      isStopped = true;
    },
    unanswered(process) {
      const index = indexes.get(process);
      if (index === undefined) return;
      indexes.delete(process);
      deliver(index);
    },
    key: () =>
      deliveries
        .map(({ count, isAcknowledged, refusals }) => JSON.stringify([count, isAcknowledged, refusals]))
        .join(','),
  };
};
