import type { Caller } from '../domain/audit.ts';
import { type DeadLetterQueueName, isKept, type KeptQueue } from '../domain/dead-letter.ts';
import { addMs, type Instant } from '../domain/instant.ts';
import type {
  AuditRepository,
  Clock,
  KeptDeadLetterRepository,
  ListPosition,
  ReceivedDeadLetter,
  RedrivenMessage,
} from '../ports.ts';
import { forEachConcurrently } from '../runtime/concurrency.ts';
import { withoutNumbersIn } from './api/audit.ts';
import type { RedrivenSource } from './republish.ts';

export interface RedriveRunPorts {
  readonly deadLetters: Pick<KeptDeadLetterRepository, 'list' | 'read' | 'delete'>;
  readonly audit: Pick<AuditRepository, 'record'>;
  readonly clock: Clock;
}

/** The result for one dead letter. */
export type Redriven =
  | { readonly kind: 'done' }
  /** There is nothing to redrive, so the dead letter is deleted. */
  | { readonly kind: 'obsolete'; readonly why: string }
  | { readonly kind: 'left'; readonly why: string };

/** How the dead letters of a queue are redriven. */
export interface RedriveWay {
  readonly name: DeadLetterQueueName;
  readonly source: RedrivenSource;
  readonly redrive: (message: RedrivenMessage) => Promise<Redriven>;
}

export interface RedriveRunOptions {
  readonly caller: Caller;
  readonly selection: { readonly deadLetterId?: string | undefined; readonly reason?: string | undefined };
  /** A dead letter that was sent later has failed again, and stays. */
  readonly before: Instant;
  readonly until: Instant;
}

const CONCURRENCY = 5;
const PAGE_SIZE = 100;
/** What was received is moved also after the end of the time, unless each move takes seconds. */
const GRACE_MS = 8_000;
/** How many reasons a response has. */
const MAX_REASONS = 20;

/** Creates the run of one call: it redrives dead letters, those of a message group in order, until its time is up. */
export const createRedriveRun = (
  { deadLetters, audit, clock }: RedriveRunPorts,
  { name, source, redrive }: RedriveWay,
  { caller, selection, before, until }: RedriveRunOptions,
) => {
  const counts = { moved: 0, deleted: 0, left: 0, leftInTable: 0 };
  const notRedriven: { readonly id: string; readonly why: string }[] = [];
  const hasTime = (): boolean => clock.now() < until;
  let wasFound = false;
  const isFound = (): boolean => selection.deadLetterId !== undefined && wasFound;
  let recording: Promise<unknown> | undefined;

  /** Records the redrive before its first change. Returns whether the caller must now delete the dead letter. */
  const move = async (message: RedrivenMessage): Promise<boolean> => {
    const details = withoutNumbersIn({ queue: name, ...selection });
    recording ??= audit.record({ action: 'redrive', details, at: clock.now(), caller });
    await recording;
    const result = await redrive(message);
    wasFound = true;
    if (result.kind === 'done') counts.moved += 1;
    else if (notRedriven.length < MAX_REASONS) notRedriven.push({ id: message.id, why: result.why });
    if (result.kind === 'obsolete') counts.deleted += 1;
    return result.kind !== 'left';
  };

  const moveOne = async (id: string): Promise<void> => {
    const deadLetter = await deadLetters.read(id);
    if (deadLetter?.queue !== name) return;
    if (await move(deadLetter)) await deadLetters.delete(id);
    else counts.leftInTable += 1;
  };

  /** Returns whether all of those in the table were considered. */
  const moveKept = async (queue: KeptQueue): Promise<boolean> => {
    let after: ListPosition | undefined;
    do {
      const page = await deadLetters.list(queue, { limit: PAGE_SIZE, ...(after && { after }) });
      const wanted = page.deadLetters.filter((one) => isSelected(selection, one) && isKept(one.keptAt, clock.now()));
      counts.leftInTable += page.deadLetters.length - wanted.length;
      await forEachInOrder(wanted, async ({ id }) => {
        if (hasTime()) await moveOne(id);
      });
      after = page.next;
    } while (after !== undefined && hasTime() && !isFound());
    return hasTime() || isFound();
  };

  /** Returns whether all of those in the queue were considered. */
  const moveQueued = async (): Promise<boolean> => {
    const others: Received[] = [];
    /** The dead letters that are being moved. */
    const moving = new Set<Received>();
    let isDone = isFound();
    let isFailed = true;
    try {
      while (!isDone && hasTime()) {
        const received = await source.receive();
        const wanted = received.filter((one) => !one.isForeign && one.since <= before && isSelected(selection, one));
        others.push(...received.filter((one) => !wanted.includes(one)));
        for (const one of wanted) moving.add(one);
        await forEachInOrder(wanted, async (one) => {
          if (clock.now() >= addMs(until, GRACE_MS)) return;
          if (await move(one)) await source.remove(one);
          else others.push(one);
          moving.delete(one);
        });
        isDone = received.length === 0 || isFound();
      }
      isFailed = false;
    } finally {
      // If time ran out, they stay hidden for a while, so that the next call continues after them.
      const released = [...(isDone || isFailed ? others : []), ...moving];
      if (released.length > 0) await source.release(released);
    }
    counts.left += others.length;
    return isDone;
  };

  return { counts, notRedriven, moveKept, moveQueued };
};

type Received = ReceivedDeadLetter<DeadLetterQueueName>;

const isSelected = (
  { deadLetterId, reason = '' }: RedriveRunOptions['selection'],
  one: { readonly id: string; readonly reason: string },
): boolean =>
  (deadLetterId === undefined || one.id === deadLetterId) && one.reason.toLowerCase().includes(reason.toLowerCase());

/** Acts on the messages of a group one after the other, and on several groups at once. */
const forEachInOrder = <Message extends { readonly id: string; readonly groupId?: string }>(
  messages: readonly Message[],
  act: (message: Message) => Promise<void>,
): Promise<void> => {
  const groups = Map.groupBy(messages, ({ groupId, id }) => groupId ?? id);
  return forEachConcurrently(CONCURRENCY, [...groups.values()], async (group) => {
    for (const one of group) await act(one);
  });
};
