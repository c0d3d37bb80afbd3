import type { DeadLetterQueueName, KeptQueue } from '../../domain/dead-letter.ts';
import { addMs, parseInstant } from '../../domain/instant.ts';
import * as z from '../../domain/schema.ts';
import { instant } from '../../domain/send-request.ts';
import type { RedriveQueue, SendRepository } from '../../ports.ts';
import { createRedriveRun, type RedriveRunPorts, type RedriveWay } from '../redrive-run.ts';
import { createRepublish, type RedrivenSource, type RepublishPorts } from '../republish.ts';
import { createRequeueDueMessage } from '../requeue-due-message.ts';
import { ok, problem, problemResponse } from './answer.ts';
import { deadLetterQueueField } from './audit.ts';
import { defineRoute, ignoredQuery } from './define-route.ts';
import { chosenIdField } from './fields.ts';

export interface RedrivePorts extends RedriveRunPorts {
  readonly sends: Pick<SendRepository, 'read'>;
  /** The dead letters that go back to a queue. A stack may have no receiver, and a stage no bulk queue. */
  readonly redrivenSources: Readonly<Partial<Record<KeptQueue, RedrivenSource>>>;
  readonly redriveQueues: Readonly<Partial<Record<Exclude<KeptQueue, 'schedules'>, RedriveQueue>>>;
  /** Undefined for a stack without a publisher. */
  readonly republish: RepublishPorts | undefined;
}

/**
 * How long a call moves dead letters. The rest of the API's 30 seconds is for a cold start and the last moves.
 * Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
 */
const BUDGET_MS = 15_000;

const redriveRequest = z.strictObject({
  queue: deadLetterQueueField,
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
  summary: 'Redrive dead letters',
  description:
    'Those in the table come first. Those of publishing and targets are published again, with the same ' +
    'IDs; every consumer can receive them twice. The others return to their queue, in order per group. A call ' +
    'takes about 15 seconds; repeat it until isComplete is true. It does not see dead letters that another call is ' +
    'redriving, or was in the last ten minutes.',
  query: ignoredQuery,
  body: redriveRequest,
  responses: { 200: redriveResponse, 400: problemResponse, 404: problemResponse },
  async handle(ports: RedrivePorts, { body: { queue: name, before: givenBefore, ...selection }, caller }) {
    const way = wayOf(ports, name);
    if (way === undefined)
      return problem(404, 'QUEUE_NOT_FOUND', `This stack has no dead-letter queue for ${name}. Use another queue.`);
    const now = ports.clock.now();
    const before = [parseInstant(givenBefore) ?? now, now].toSorted()[0] ?? now;
    const run = createRedriveRun(ports, way, { caller, selection, before, until: addMs(now, BUDGET_MS) });
    const isTableDone = !isRequeued(name) || (await run.moveKept(name));
    const isQueueDone = isTableDone && (await run.moveQueued());
    const { counts, notRedriven } = run;
    return ok({
      moved: counts.moved,
      deleted: counts.deleted,
      // Every call lists the table, so only the last call counts what stays there.
      left: counts.left + (isQueueDone ? counts.leftInTable : 0),
      ...(notRedriven.length > 0 && { notRedriven }),
      isComplete: isQueueDone,
      before,
    } satisfies z.output<typeof redriveResponse>);
  },
});

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
  const { [name === 'schedules' ? 'send' : name]: queue, bulk } = ports.redriveQueues;
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
