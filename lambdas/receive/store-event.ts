import { openEnvelope } from '../domain/carrier-envelope.ts';
import type { WindowPer } from '../domain/contact.ts';
import type { VerifiedPost } from '../domain/verified-post.ts';
import { readEvent, type StatusChange, type WebhookEvent } from '../domain/webhook-event.ts';
import type { EventStore, WriteResult } from '../ports.ts';

/** What became of an authentic post at the table. */
export type StoredEvent = { readonly carrierMessageId?: string } & (
  | {
      readonly kind: 'stored';
      readonly event: WebhookEvent['kind'];
      readonly id: string;
      /** A message that names no business number where windows are kept by that: it opened none. */
      readonly withoutChannel?: true;
    }
  /** No event that we know, or one that the table will never take: for a person. */
  | { readonly kind: 'unstorable'; readonly reason: string }
  /** The table is out of reach: to be repeated, whole. */
  | { readonly kind: 'unreachable'; readonly reason: string }
);

export type StoreEvent = (post: VerifiedPost) => Promise<StoredEvent>;

export interface StoreEventPorts {
  readonly store: EventStore;
  /** The platform of an event that names none. */
  readonly defaultPlatform: string;
  readonly windowPer: WindowPer;
}

/**
 * Reads a verified post and writes its event: an inbound message in two writes side by side, an echo or a status in one
 * (one more for a status that refers to a send), and no read. Repeating it, in part or whole, changes nothing.
 */
export const createStoreEvent =
  ({ store, defaultPlatform, windowPer }: StoreEventPorts): StoreEvent =>
  async (post) => {
    const envelope = openEnvelope(post);
    const { carrierMessageId } = envelope;
    if (envelope.kind === 'unreadable') return { kind: 'unstorable', reason: envelope.reason, carrierMessageId };
    const times = { publishedAt: envelope.publishedAt, receivedAt: post.receivedAt };
    const { chatChannelNumber } = post;
    const read = readEvent(envelope.eventBody, { times, defaultPlatform, windowPer, chatChannelNumber });
    if (read.kind === 'unreadable') return { kind: 'unstorable', reason: read.reason, carrierMessageId };
    const { event } = read;
    const results = await Promise.all(writes(store, event));
    const stored: StoredEvent = { kind: 'stored', event: event.kind, id: event.id };
    const withoutChannel = event.kind === 'message' && !event.opensWindow;
    return { ...(worst(results) ?? { ...stored, ...(withoutChannel && { withoutChannel }) }), carrierMessageId };
  };

const writes = (store: EventStore, event: WebhookEvent): Promise<WriteResult>[] => {
  switch (event.kind) {
    case 'message':
      return [store.recordMessage(event), ...(event.opensWindow ? [store.openWindow(event)] : [])];
    case 'echo':
      return [store.recordMessage(event)];
    case 'status':
      return [store.recordStatus(event), ...(hasReference(event) ? [store.settleSend(event)] : [])];
  }
};

const hasReference = (status: StatusChange): status is StatusChange & { readonly reference: string } =>
  status.reference !== undefined;

/** A write that may still succeed counts before one that never will: the repetition does both. */
const worst = (results: readonly WriteResult[]): StoredEvent | undefined => {
  const unreachable = results.find((result) => result.kind === 'unreachable');
  if (unreachable) return unreachable;
  const refused = results.find((result) => result.kind === 'refused');
  return refused && { kind: 'unstorable', reason: refused.reason };
};
