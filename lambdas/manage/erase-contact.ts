import type { SQSRecord } from 'aws-lambda';
import { queuedErasure } from '../domain/erasure.ts';
import { addMs } from '../domain/instant.ts';
import { parseJson } from '../domain/parse-json.ts';
import * as z from '../domain/schema.ts';
import type { Clock, ErasablePosition, ErasureStore, Log } from '../ports.ts';
import type { MessageResult } from '../queue-handler.ts';
import { sideBySide } from './side-by-side.ts';

export interface EraseContactPorts {
  readonly store: ErasureStore;
  readonly clock: Clock;
  readonly log: Log;
  /** How long one turn may take; what is left waits for the next. */
  readonly turnMs: number;
}

/** Writes that go on at once. */
const WRITES = 32;
/** Longer than the index by contact lags behind the table, as a rule. */
const LOOK_AGAIN_MS = 2_000;
/** A claim ends within minutes. */
const BUSY_MS = 30_000;

/**
 * Erases a contact in turns: the queue brings the message again until a whole turn finds nothing, which a function that
 * sends to its own queue could not do, as Lambda stops such a loop after some sixteen rounds.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
export const createEraseContact =
  ({ store, clock, log, turnMs }: EraseContactPorts) =>
  async (message: SQSRecord): Promise<MessageResult> => {
    const { erasureId, requestedAt, contact } = z.parse(queuedErasure, parseJson(message.body));
    await store.begin(erasureId, requestedAt);
    const before = await store.readErasure(erasureId);
    if (before === undefined) throw new Error(`The erasure ${erasureId} has no record.`);
    if (before.state === 'done') return { kind: 'done' };
    // Only what was there when it was asked for: a user who has written since starts afresh.
    await store.removeContact(contact, requestedAt);

    const deadline = addMs(clock.now(), turnMs);
    const erased = { messages: 0, sends: 0, busy: 0 };
    let next: ErasablePosition | undefined;
    do {
      const page = await store.listItems(contact, requestedAt, next);
      await sideBySide(WRITES, page.items, async (item) => {
        const result = await store.erase(contact, item, clock.now());
        if (result === 'busy') erased.busy += 1;
        else if (result === 'erased') erased[item.sk === 'SEND' ? 'sends' : 'messages'] += 1;
      });
      next = page.next;
    } while (next !== undefined && clock.now() < deadline);

    const { messages, sends, busy } = erased;
    const isDone = next === undefined && messages + sends + busy === 0;
    await store.record(before, { messages, sends, ...(isDone && { finishedAt: clock.now() }) });
    log.info(isDone ? 'contact erased' : 'contact partly erased', { erasureId, turn: before.turns + 1, ...erased });
    if (isDone) return { kind: 'done' };
    if (next !== undefined) return { kind: 'again', afterMs: 0 };
    return { kind: 'again', afterMs: messages + sends === 0 ? BUSY_MS : LOOK_AGAIN_MS };
  };
