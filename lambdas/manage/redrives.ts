import type { Caller } from '../domain/audit.ts';
import { isKept } from '../domain/dead-letter.ts';
import { addMs, type Instant, parseInstant } from '../domain/instant.ts';
import * as z from '../domain/schema.ts';
import type {
  AuditRepository,
  Clock,
  DeadLetterPosition,
  DeadLetterSource,
  KeptDeadLetterRepository,
  ReceivedDeadLetter,
  RedriveQueue,
} from '../ports.ts';
import { forEachConcurrently } from '../runtime/concurrency.ts';
import { chosenIdField, defineRoute, ignoredQuery, instantField, ok, problem, problemResponse } from './api.ts';
import { withoutNumbersIn } from './audit.ts';

export interface RedrivePorts {
  readonly deadLetters: Pick<KeptDeadLetterRepository, 'list' | 'read' | 'delete'>;
  /** The quarantine, and the queue that it belongs to. Undefined for a stack without a receiver. */
  readonly inbound?: { readonly deadLetters: DeadLetterSource; readonly queue: RedriveQueue };
  readonly audit: Pick<AuditRepository, 'record'>;
  readonly clock: Clock;
}

/**
 * How long a call moves dead letters. The rest of the API's 30 seconds is for a cold start and the last moves.
 * Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
 */
const BUDGET_MS = 15_000;
const CONCURRENCY = 5;
const PAGE_SIZE = 100;

/** The dead-letter queues that only Parley's functions may redrive. */
export const REDRIVABLE_QUEUES = ['inbound'] as const;
export type RedrivableQueue = (typeof REDRIVABLE_QUEUES)[number];

const redriveRequest = z.strictObject({
  queue: z.enum(REDRIVABLE_QUEUES, 'must be inbound; parley redrives the other queues'),
  /** Only this dead letter. */
  deadLetterId: z.optional(chosenIdField),
  /** Only dead letters whose reason contains this text, ignoring case. */
  reason: z.optional(z.boundedString(1024)),
  /**
   * Only dead letters sent up to this time. Pass the value from the first response to all further calls. @default now
   */
  before: z.optional(instantField),
});

export const redriveResponse = z.object({
  /** How many were put back on the queue. */
  moved: z.number(),
  /**
   * How many were read but not moved, because they do not match or have failed again. Add up the values of all calls.
   */
  left: z.number(),
  /** False if time ran out. Repeat the call to continue. */
  isComplete: z.boolean(),
  before: z.string(),
});

type Selection = Pick<z.output<typeof redriveRequest>, 'deadLetterId' | 'reason'>;

/** Moves quarantined events unchanged, and accepts no body from the caller, who could otherwise invent events. */
export const redriveDeadLetters = defineRoute({
  route: 'POST /v1/redrives',
  summary: 'Put quarantined events back on the inbound queue',
  description:
    'Moves dead letters from the table and from the dead-letter queue, and returns how many. A call moves as many as ' +
    'it can in 15 seconds; repeat it until isComplete is true. A call does not see dead letters that another call is ' +
    'moving. If that call was interrupted, for example by a timeout, they are visible again after 90 seconds. A dead ' +
    'letter that is being moved to the table is left there until 90 seconds after its move began.',
  query: ignoredQuery,
  body: redriveRequest,
  responses: { 200: redriveResponse, 400: problemResponse, 404: problemResponse },
  async handle(ports: RedrivePorts, { body: { queue: name, before: givenBefore, ...selection }, caller }) {
    const { inbound, clock } = ports;
    if (inbound === undefined) return problem(404, 'QUEUE_NOT_FOUND', 'This stack has no inbound queue.');
    const now = clock.now();
    const before = [parseInstant(givenBefore) ?? now, now].toSorted()[0] ?? now;
    const run = createRun(ports, { caller, name, selection, before, until: addMs(now, BUDGET_MS) });
    const isTableDone = await run.moveKept();
    const isQueueDone = isTableDone && (await run.moveQueued(inbound.deadLetters));
    const { moved, left, leftInTable } = run.counts;
    // Every call lists the table, so only the last call counts what stays there.
    const counts = { moved, left: left + (isQueueDone ? leftInTable : 0) };
    return ok({ ...counts, isComplete: isQueueDone, before } satisfies z.output<typeof redriveResponse>);
  },
});

interface RunOptions {
  readonly caller: Caller;
  readonly name: 'inbound';
  readonly selection: Selection;
  readonly before: Instant;
  readonly until: Instant;
}

const createRun = (ports: RedrivePorts, { caller, name, selection, before, until }: RunOptions) => {
  const { deadLetters, inbound, audit, clock } = ports;
  const counts = { moved: 0, left: 0, leftInTable: 0 };
  const hasTime = (): boolean => clock.now() < until;
  const isFound = (): boolean => selection.deadLetterId !== undefined && counts.moved > 0;
  let recording: Promise<unknown> | undefined;

  /** Records the redrive before its first move, and puts the body back before the caller deletes the dead letter. */
  const move = async (body: string): Promise<void> => {
    const details = withoutNumbersIn({ queue: name, ...selection });
    recording ??= audit.record({ action: 'redrive', details, at: clock.now(), caller });
    await recording;
    await inbound?.queue.put(body);
    counts.moved += 1;
  };

  const moveOne = async (id: string): Promise<void> => {
    const deadLetter = await deadLetters.read(id);
    if (deadLetter?.queue !== name) return;
    await move(deadLetter.body);
    await deadLetters.delete(id);
  };

  /** Returns whether all of those in the table were considered. */
  const moveKept = async (): Promise<boolean> => {
    let after: DeadLetterPosition | undefined;
    do {
      const page = await deadLetters.list(name, { limit: PAGE_SIZE, ...(after && { after }) });
      const wanted = page.deadLetters.filter((one) => isSelected(selection, one) && isKept(one.keptAt, clock.now()));
      counts.leftInTable += page.deadLetters.length - wanted.length;
      await forEachConcurrently(CONCURRENCY, wanted, async ({ id }) => {
        if (hasTime()) await moveOne(id);
      });
      after = page.next;
    } while (after !== undefined && hasTime() && !isFound());
    return hasTime() || isFound();
  };

  /** Returns whether all of those in the queue were considered. */
  const moveQueued = async (source: DeadLetterSource): Promise<boolean> => {
    const others: ReceivedDeadLetter[] = [];
    /** The dead letters that are being moved. */
    const moving = new Set<ReceivedDeadLetter>();
    let isDone = isFound();
    let isFailed = true;
    try {
      while (!isDone && hasTime()) {
        const received = await source.receive();
        const wanted = received.filter((one) => !one.isForeign && one.since <= before && isSelected(selection, one));
        others.push(...received.filter((one) => !wanted.includes(one)));
        for (const one of wanted) moving.add(one);
        await forEachConcurrently(CONCURRENCY, wanted, async (one) => {
          await move(one.body);
          await source.remove(one);
          moving.delete(one);
        });
        isDone = received.length === 0 || isFound();
      }
      isFailed = false;
    } finally {
      // If time ran out, they stay hidden for a while, so that the next call continues after them.
      const released = isDone || isFailed ? [...others, ...moving] : [];
      if (released.length > 0) await source.release(released);
    }
    counts.left += others.length;
    return isDone;
  };

  return { counts, moveKept, moveQueued };
};

const isSelected = ({ deadLetterId, reason = '' }: Selection, one: { readonly id: string; readonly reason: string }) =>
  (deadLetterId === undefined || one.id === deadLetterId) && one.reason.toLowerCase().includes(reason.toLowerCase());
