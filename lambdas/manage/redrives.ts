import type { Caller } from '../domain/audit.ts';
import { type DeadLetterQueueName, isKept, type KeptQueue } from '../domain/dead-letter.ts';
import { addMs, type Instant, parseInstant } from '../domain/instant.ts';
import * as z from '../domain/schema.ts';
import { instant } from '../domain/send-request.ts';
import type {
  AuditRepository,
  Clock,
  DeadLetterPosition,
  KeptDeadLetterRepository,
  ReceivedDeadLetter,
  RedriveQueue,
} from '../ports.ts';
import { forEachConcurrently } from '../runtime/concurrency.ts';
import { chosenIdField, defineRoute, ignoredQuery, ok, problem, problemResponse } from './api.ts';
import { withoutNumbersIn } from './audit.ts';
import { createRepublish, type RedrivenSource, type Republished, type RepublishPorts } from './republish.ts';

export interface RedrivePorts {
  readonly deadLetters: Pick<KeptDeadLetterRepository, 'list' | 'read' | 'delete'>;
  /** The quarantine, and the queue that it belongs to. Undefined for a stack without a receiver. */
  readonly inbound?: { readonly deadLetters: RedrivenSource; readonly queue: RedriveQueue };
  /** Undefined for a stack without a publisher. */
  readonly republish?: RepublishPorts;
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
export const REDRIVABLE_QUEUES = ['inbound', 'publishing', 'targets'] as const;
export type RedrivableQueue = (typeof REDRIVABLE_QUEUES)[number];

const redriveRequest = z.strictObject({
  queue: z.enum(REDRIVABLE_QUEUES, `must be ${REDRIVABLE_QUEUES.join(', ')}; parley redrives the other queues`),
  /** Only this dead letter. */
  deadLetterId: z.optional(chosenIdField),
  /** Only dead letters whose reason contains this text, ignoring case. */
  reason: z.optional(z.boundedString(1024)),
  /**
   * Only dead letters sent up to this time. Pass the value from the first response to all further calls. @default now
   */
  before: z.optional(instant),
});

export const redriveResponse = z.object({
  /** How many were put back on the queue, or published again. */
  moved: z.number(),
  /**
   * How many were read but not moved, because they do not match or have failed again. Add up the values of all calls.
   */
  left: z.number(),
  /** Some of those that could not be redriven, and why. */
  notRedriven: z.optional(z.array(z.object({ id: z.string(), why: z.string() }))),
  /** False if time ran out. Repeat the call to continue. */
  isComplete: z.boolean(),
  before: z.string(),
});

type Selection = Pick<z.output<typeof redriveRequest>, 'deadLetterId' | 'reason'>;

/** Redrives dead letters as they are, and accepts no body from the caller, who could otherwise invent events. */
export const redriveDeadLetters = defineRoute({
  route: 'POST /v1/redrives',
  summary: 'Put quarantined events back on the inbound queue, or publish events again',
  description:
    'Redrives dead letters, and returns how many. Those of inbound, from the table and from the dead-letter queue, are ' +
    'put back on the inbound queue. Those of publishing and targets are published on the event bus again, with the ' +
    'same IDs, so every consumer can receive such an event a second time. A call redrives as many as it can in 15 ' +
    'seconds; repeat it until isComplete is true. A call does not see dead letters that another call is redriving. If ' +
    'that call was interrupted, for example by a timeout, they are visible again after ten minutes. A dead letter that ' +
    'is being moved to the table is left there until 90 seconds after its move began.',
  query: ignoredQuery,
  body: redriveRequest,
  responses: { 200: redriveResponse, 400: problemResponse, 404: problemResponse },
  async handle(ports: RedrivePorts, { body: { queue: name, before: givenBefore, ...selection }, caller }) {
    const { clock } = ports;
    const way = wayOf(ports, name);
    if (way === undefined) return problem(404, 'QUEUE_NOT_FOUND', MISSING[name]);
    const now = clock.now();
    const before = [parseInstant(givenBefore) ?? now, now].toSorted()[0] ?? now;
    const run = createRun(ports, way, { caller, selection, before, until: addMs(now, BUDGET_MS) });
    const isTableDone = name !== 'inbound' || (await run.moveKept(name));
    const isQueueDone = isTableDone && (await run.moveQueued(way.source));
    const { moved, left, leftInTable } = run.counts;
    // Every call lists the table, so only the last call counts what stays there.
    const counts = { moved, left: left + (isQueueDone ? leftInTable : 0) };
    const notRedriven = run.notRedriven.length > 0 ? { notRedriven: run.notRedriven } : {};
    return ok({ ...counts, ...notRedriven, isComplete: isQueueDone, before } satisfies z.output<
      typeof redriveResponse
    >);
  },
});

const MISSING: Readonly<Record<RedrivableQueue, string>> = {
  inbound: 'This stack has no inbound queue.',
  publishing: 'This stack publishes no events.',
  targets: 'This stage has no event targets.',
};

/** How the dead letters of a queue are redriven. */
interface Way {
  readonly name: RedrivableQueue;
  readonly source: RedrivenSource;
  readonly put: (body: string) => Promise<Republished>;
}

const wayOf = ({ inbound, republish }: RedrivePorts, name: RedrivableQueue): Way | undefined => {
  if (name === 'inbound') {
    return (
      inbound && {
        name,
        source: inbound.deadLetters,
        async put(body) {
          await inbound.queue.put(body);
          return { kind: 'done' };
        },
      }
    );
  }
  const source = republish?.[name];
  if (republish === undefined || source === undefined) return undefined;
  const republishOne = createRepublish(republish);
  return { name, source, put: (body) => republishOne(name, body) };
};

interface RunOptions {
  readonly caller: Caller;
  readonly selection: Selection;
  readonly before: Instant;
  readonly until: Instant;
}

/** How many reasons a response has. */
const MAX_REASONS = 20;

const createRun = (
  { deadLetters, audit, clock }: RedrivePorts,
  { name, put }: Way,
  { caller, selection, before, until }: RunOptions,
) => {
  const counts = { moved: 0, left: 0, leftInTable: 0 };
  const notRedriven: { readonly id: string; readonly why: string }[] = [];
  const hasTime = (): boolean => clock.now() < until;
  let wasFound = false;
  const isFound = (): boolean => selection.deadLetterId !== undefined && wasFound;
  let recording: Promise<unknown> | undefined;

  /** Records the redrive before its first move. Returns whether the caller must now delete the dead letter. */
  const move = async ({ id, body }: { readonly id: string; readonly body: string }): Promise<boolean> => {
    const details = withoutNumbersIn({ queue: name, ...selection });
    recording ??= audit.record({ action: 'redrive', details, at: clock.now(), caller });
    await recording;
    const result = await put(body);
    wasFound = true;
    if (result.kind === 'done') counts.moved += 1;
    else if (notRedriven.length < MAX_REASONS) notRedriven.push({ id, why: result.why });
    return result.kind === 'done';
  };

  const moveOne = async (id: string): Promise<void> => {
    const deadLetter = await deadLetters.read(id);
    if (deadLetter?.queue === name && (await move(deadLetter))) await deadLetters.delete(id);
  };

  /** Returns whether all of those in the table were considered. */
  const moveKept = async (queue: KeptQueue): Promise<boolean> => {
    let after: DeadLetterPosition | undefined;
    do {
      const page = await deadLetters.list(queue, { limit: PAGE_SIZE, ...(after && { after }) });
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
  const moveQueued = async (source: RedrivenSource): Promise<boolean> => {
    const others: ReceivedDeadLetter<DeadLetterQueueName>[] = [];
    /** The dead letters that are being moved. */
    const moving = new Set<ReceivedDeadLetter<DeadLetterQueueName>>();
    let isDone = isFound();
    let isFailed = true;
    try {
      while (!isDone && hasTime()) {
        const received = await source.receive();
        const wanted = received.filter((one) => !one.isForeign && one.since <= before && isSelected(selection, one));
        others.push(...received.filter((one) => !wanted.includes(one)));
        for (const one of wanted) moving.add(one);
        await forEachConcurrently(CONCURRENCY, wanted, async (one) => {
          if (await move(one)) await source.remove(one);
          else others.push(one);
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

  return { counts, notRedriven, moveKept, moveQueued };
};

const isSelected = ({ deadLetterId, reason = '' }: Selection, one: { readonly id: string; readonly reason: string }) =>
  (deadLetterId === undefined || one.id === deadLetterId) && one.reason.toLowerCase().includes(reason.toLowerCase());
