import { DEAD_LETTER_QUEUES, type DeadLetterQueueName, type KeptQueue } from '../domain/dead-letter.ts';
import { addMs, parseInstant } from '../domain/instant.ts';
import * as z from '../domain/schema.ts';
import { instant } from '../domain/send-request.ts';
import type { RedriveQueue, SendRepository } from '../ports.ts';
import { chosenIdField, defineRoute, ignoredQuery, ok, problem, problemResponse } from './api.ts';
import { createRedriveRun, type RedriveRunPorts, type RedriveWay } from './redrive-run.ts';
import { createRepublish, type RedrivenSource, type RepublishPorts } from './republish.ts';
import { createRequeueDueMessage } from './requeue-due-message.ts';

export interface RedrivePorts extends RedriveRunPorts {
  readonly sends: Pick<SendRepository, 'read'>;
  /** The dead letters that go back to a queue. A stack may have no receiver, and a stage no bulk queue. */
  readonly redrivenSources: Readonly<Partial<Record<KeptQueue, RedrivenSource>>>;
  readonly redriveQueues: Readonly<Partial<Record<KeptQueue, RedriveQueue>>>;
  /** Undefined for a stack without a publisher. */
  readonly republish?: RepublishPorts;
}

/**
 * How long a call moves dead letters. The rest of the API's 30 seconds is for a cold start and the last moves.
 * Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
 */
const BUDGET_MS = 15_000;

const redriveRequest = z.strictObject({
  queue: z.enum(DEAD_LETTER_QUEUES, `must be one of ${DEAD_LETTER_QUEUES.join(', ')}`),
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
  /** How many of `schedules` were deleted, because their send is no longer stored or its contact was erased. */
  deleted: z.number(),
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

/** Redrives dead letters as they are, and accepts no body from the caller, who could otherwise invent events. */
export const redriveDeadLetters = defineRoute({
  route: 'POST /v1/redrives',
  summary: 'Put dead letters back on their queue, or publish events again',
  description:
    'Redrives dead letters, and returns how many. Those in the table come first. Those of send, bulk, inbound, and ' +
    'erasures are put back on their queue unchanged, and those of schedules on the queue of their send; the dead letters ' +
    'of a message group keep their order. Those of publishing and targets are published on the event bus again, with ' +
    'the same IDs, so every consumer can receive such an event a second time. A call redrives as many as it can in 15 ' +
    'seconds; repeat it until isComplete is true. A call does not see dead letters that another call is redriving. If ' +
    'that call was interrupted, for example by a timeout, they are visible again after ten minutes. Nor does it see ' +
    'those behind the first ten of a message group while one of these stays. A dead letter that is being moved to the ' +
    'table is left there until 90 seconds after its move began.',
  query: ignoredQuery,
  body: redriveRequest,
  responses: { 200: redriveResponse, 400: problemResponse, 404: problemResponse },
  async handle(ports: RedrivePorts, { body: { queue: name, before: givenBefore, ...selection }, caller }) {
    const way = wayOf(ports, name);
    if (way === undefined) return problem(404, 'QUEUE_NOT_FOUND', MISSING[name] ?? 'This stack has no such queue.');
    const now = ports.clock.now();
    const before = [parseInstant(givenBefore) ?? now, now].toSorted()[0] ?? now;
    const run = createRedriveRun(ports, way, { caller, selection, before, until: addMs(now, BUDGET_MS) });
    const isTableDone = !isRequeued(name) || (await run.moveKept(name));
    const isQueueDone = isTableDone && (await run.moveQueued());
    const { moved, deleted, left, leftInTable } = run.counts;
    // Every call lists the table, so only the last call counts what stays there.
    const counts = { moved, deleted, left: left + (isQueueDone ? leftInTable : 0) };
    const notRedriven = run.notRedriven.length > 0 ? { notRedriven: run.notRedriven } : {};
    return ok({ ...counts, ...notRedriven, isComplete: isQueueDone, before } satisfies z.output<
      typeof redriveResponse
    >);
  },
});

const MISSING: Readonly<Partial<Record<DeadLetterQueueName, string>>> = {
  bulk: 'This stage has no bulk queue.',
  inbound: 'This stack has no inbound queue.',
  publishing: 'This stack publishes no events.',
  targets: 'This stage has no event targets.',
};

/** Whether the dead letters of a queue go back to a queue, and are kept in the table when they are old. */
const isRequeued = (name: DeadLetterQueueName): name is KeptQueue => name !== 'publishing' && name !== 'targets';

const wayOf = (ports: RedrivePorts, name: DeadLetterQueueName): RedriveWay | undefined => {
  if (!isRequeued(name)) {
    const source = ports.republish?.[name];
    if (ports.republish === undefined || source === undefined) return undefined;
    const republish = createRepublish(ports.republish);
    return { name, source, redrive: ({ body }) => republish(name, body) };
  }
  const { [name]: source } = ports.redrivenSources;
  const { [name]: queue, bulk } = ports.redriveQueues;
  if (source === undefined || queue === undefined) return undefined;
  if (name === 'schedules') {
    return { name, source, redrive: createRequeueDueMessage({ sends: ports.sends, send: queue, bulk }) };
  }
  return {
    name,
    source,
    async redrive(message) {
      await queue.put(message);
      return { kind: 'done' };
    },
  };
};
