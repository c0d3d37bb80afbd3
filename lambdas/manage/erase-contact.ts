import type { SQSRecord } from 'aws-lambda';
import type { CustomerRef, DataSubject } from '../domain/contact.ts';
import { isOfEarlierUser } from '../domain/customer.ts';
import { createIsAbout } from '../domain/dead-letter-subject.ts';
import type { Ms } from '../domain/duration.ts';
import { INDEX_LAG_MS, type QueuedErasure, queuedErasure } from '../domain/erasure.ts';
import { LoggableError } from '../domain/errors.ts';
import { addMs, type Instant } from '../domain/instant.ts';
import * as z from '../domain/schema.ts';
import type {
  Clock,
  ErasableItem,
  ErasablePosition,
  ErasureRepository,
  Log,
  Metrics,
  QueuedDeadLetters,
  Randomness,
  SendScheduler,
} from '../ports.ts';
import { forEachConcurrently } from '../runtime/concurrency.ts';
import { onFirstUse } from '../runtime/on-first-use.ts';
import { DONE, type MessageResult } from '../runtime/queue-handler.ts';

export interface ErasureWorkerOptions {
  readonly erasures: ErasureRepository;
  readonly scheduler: Pick<SendScheduler, 'cancel'>;
  readonly queuedDeadLetters: QueuedDeadLetters;
  readonly clock: Clock;
  readonly randomness: Pick<Randomness, 'random'>;
  readonly log: Log;
  readonly metrics: Metrics;
  /** How long a pass may take. The next pass continues the erasure. */
  readonly passMs: Ms;
}

const WRITE_CONCURRENCY = 32;
/** Claims expire within minutes; a send that only a status confirmed waits for up to 15 minutes after its claim. */
const BUSY_MS = 30_000;

/**
 * Creates the handler of messages from the erasure queue. It erases a contact in passes, retrying the message until a
 * whole pass finds nothing to erase. It does not send itself a new message for each pass, because Lambda stops such
 * loops after about 16 rounds. Stored items and the API call a pass a turn.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
export const createErasureWorker =
  (options: ErasureWorkerOptions) =>
  async (message: SQSRecord): Promise<MessageResult> => {
    const { erasures, clock, randomness, log, passMs } = options;
    const erasure = z.parse(queuedErasure, z.parseJson(message.body));
    const { erasureId, requestedAt } = erasure;
    await erasures.start(erasureId, requestedAt);
    const before = await erasures.read(erasureId);
    if (before === undefined) throw new LoggableError(`The erasure ${erasureId} has no record.`);
    if (before.state === 'done') return DONE;

    const deadline = addMs(clock.now(), passMs);
    const pass = createPass(options, erasure, deadline);
    const isComplete = await eraseUser(erasures, erasure, pass);
    const { messages, versions, sends, auditEntries, busy } = pass.erased;
    // Last, because until then a function could put one of the contact's messages there.
    const isTableDone = isComplete && messages + versions + sends + auditEntries + busy === 0;
    const { isDone, kept, queued } = isTableDone
      ? await eraseDeadLetters(options, erasure, pass, () => clock.now() < deadline)
      : { isDone: false, kept: 0, queued: 0 };
    const counts = { messages, sends, deadLetters: kept + queued };
    await erasures.recordPass(before, { ...counts, ...(isDone && { finishedAt: clock.now() }) });
    const fields = { erasureId, pass: before.passes + 1, ...counts, busy };
    log.info(isDone ? 'contact erased' : 'contact partly erased', fields);
    if (isDone) return DONE;
    if (!isComplete) return { kind: 'retry', afterMs: 0 };
    // Two erasures that search the same queue at the same time must not do so again at the same time.
    const busyMs = BUSY_MS * (1 + randomness.random());
    // A dead letter that was moved to the table just now is not counted, because it is left for a while.
    const isFound = messages + versions + sends + auditEntries + kept > 0;
    return { kind: 'retry', afterMs: isFound ? INDEX_LAG_MS : busyMs };
  };

/** Erases what is stored of a user: the contact with every business number, and what names only the customer. */
const eraseUser = async (
  erasures: ErasureRepository,
  { erasureId, requestedAt, earlier, platform, contact, customers, otherCustomers }: QueuedErasure,
  { eraseAll }: ReturnType<typeof createPass>,
): Promise<boolean> => {
  const until = earlier?.until ?? requestedAt;
  for (const customer of customers) {
    if (!(await eraseAll(customer))) return false;
  }
  const contacts = contact === undefined ? [] : await erasures.contactsOf(contact);
  for (const each of contacts) {
    // Removes only what existed when the erasure was requested. A user who has written since is a new contact.
    await erasures.removeContact(each, until);
    if (earlier === undefined) await erasures.forgetOtherCustomers(each);
    if (!(await eraseAll(each))) return false;
    // After its messages, because the event of the turn has those that are still stored. Also if turns are off now,
    // because they may have been on.
    await erasures.endOpenTurn(each, until);
  }
  // After its contacts, because the customer's item leads from one address to the others.
  const channels = contact === undefined ? await erasures.channelsOf(platform) : contacts.map(({ channel }) => channel);
  for (const channel of channels) {
    for (const customer of customers) {
      await erasures.leaveCustomer({ ...customer, channel }, { until, erasureId });
    }
    for (const customer of otherCustomers) await erasures.leaveCustomer({ ...customer, channel }, { erasureId });
  }
  return true;
};

/** Deletes the dead letters that are about the contact or one of its customers. */
const eraseDeadLetters = async (
  { erasures, queuedDeadLetters, clock }: ErasureWorkerOptions,
  { requestedAt, earlier, contact, customers, separatedKeys }: QueuedErasure,
  { isShared }: ReturnType<typeof createPass>,
  hasTime: () => boolean,
): Promise<{ readonly isDone: boolean; readonly kept: number; readonly queued: number }> => {
  if (earlier !== undefined) return { isDone: true, kept: 0, queued: 0 };
  const shared = await Promise.all(customers.map(isShared));
  const own = customers.filter((_customer, index) => !shared[index]);
  const subjects = contact === undefined ? own : [contact, ...own];
  // Also those that are newer than the request, as in the queues: an erasure of another contact can have moved them. Only
  // dead letters of newer webhook requests are about a new contact, and these stay in their queue for a week.
  const eraseKept = () => erasures.eraseKeptDeadLetters(subjects, clock.now(), separatedKeys);
  const kept = await eraseKept();
  if (!kept.isComplete) return { isDone: false, kept: kept.erased, queued: 0 };
  const customerIds = own.map(({ customerId }) => customerId);
  const isAbout = createIsAbout({ contact, customerIds, separatedKeys }, requestedAt);
  const queued = await queuedDeadLetters.remove(isAbout, hasTime);
  if (!queued.isComplete) return { isDone: false, kept: kept.erased, queued: queued.removed };
  // Again, because a dead letter could move from its queue to the table before the search of the queue.
  const moved = await eraseKept();
  return { isDone: moved.isComplete, kept: kept.erased + moved.erased, queued: queued.removed };
};

const COUNTED_AS = {
  message: 'messages',
  echo: 'messages',
  version: 'versions',
  status: 'messages',
  send: 'sends',
  audit: 'auditEntries',
} as const;

/** Erases what was stored until the erasure was requested. */
const createPass = (
  options: ErasureWorkerOptions,
  { erasureId, requestedAt, earlier, platform, customers, otherCustomers }: QueuedErasure,
  deadline: Instant,
) => {
  const until = earlier?.until ?? requestedAt;
  const { erasures, scheduler, clock, log, metrics } = options;
  const erased = { messages: 0, versions: 0, sends: 0, auditEntries: 0, busy: 0 };
  const visited = new Set<string>();
  let listed = 0;

  const sharing = new Map<string, Promise<boolean>>();
  const readChannels = onFirstUse(() => erasures.channelsOf(platform));
  /** Whether many users share a customer's ID. Reads each customer once. */
  const isShared = (customer: CustomerRef): Promise<boolean> => {
    const read =
      sharing.get(customer.customerId) ?? readChannels().then((channels) => erasures.isShared(customer, channels));
    sharing.set(customer.customerId, read);
    return read;
  };

  /** Whether an item that names a customer leads to what else is stored of the same user. */
  const isFollowed = ({ customerId }: CustomerRef): boolean =>
    earlier === undefined && !otherCustomers.some((other) => other.customerId === customerId);

  /**
   * Removes an erased contact from a customer that an event named after the erasure was requested. Its items are still
   * stored, so that a function that dies here does it again.
   */
  const leaveNewCustomer = async (subject: DataSubject, customer: CustomerRef): Promise<void> => {
    if (!('key' in subject) || customers.some(({ customerId }) => customerId === customer.customerId)) return;
    await erasures.leaveCustomer({ ...customer, channel: subject.channel }, { until, erasureId, isNew: true });
  };

  const isOfUser = (item: ErasableItem): boolean =>
    earlier === undefined || isOfEarlierUser(item, { customerIds: [earlier.customerId], until: earlier.until });

  const eraseItem = async (subject: DataSubject, item: ErasableItem): Promise<void> => {
    // Before the send, because only the send leads to its schedule.
    if (item.isScheduled) await scheduler.cancel(item.id);
    const result = await erasures.erase(subject, item, clock.now());
    if (result === 'busy') erased.busy += 1;
    else if (result !== 'gone') erased[COUNTED_AS[item.kind]] += 1;
    if (result === 'lost') {
      metrics.count('SendUncertain');
      log.error('send uncertain', { requestId: item.id, why: 'The function that claimed the erased request died.' });
    }
  };

  /** Erases a contact's or a customer's items. Returns false if the pass ran out of time before that. */
  const eraseAll = async (subject: DataSubject): Promise<boolean> => {
    const name = JSON.stringify(subject);
    if (visited.has(name)) return true;
    visited.add(name);
    // What names only an ID that many users share can be anyone's.
    if ('customerId' in subject && (await isShared(subject))) return true;
    let next: ErasablePosition | undefined;
    do {
      const page = await erasures.listItems(subject, requestedAt, next);
      for (const customer of page.customers.filter(isFollowed)) {
        if (!(await eraseAll(customer))) return false;
        await leaveNewCustomer(subject, customer);
      }
      listed += page.items.length;
      await forEachConcurrently(WRITE_CONCURRENCY, page.items.filter(isOfUser), (item) => eraseItem(subject, item));
      next = page.next;
      // Even a short pass continues until it finds items, because the next pass starts over.
    } while (next !== undefined && (listed === 0 || clock.now() < deadline));
    return next === undefined;
  };

  return { erased, eraseAll, isShared };
};
