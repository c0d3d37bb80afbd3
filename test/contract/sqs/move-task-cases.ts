import {
  CancelMessageMoveTaskCommand,
  ListMessageMoveTasksCommand,
  type ListMessageMoveTasksResultEntry,
  type SQSClient,
  StartMessageMoveTaskCommand,
  type StartMessageMoveTaskCommandInput,
} from '@aws-sdk/client-sqs';
import { type ContractTools, FIFO, redriveTo, SOURCES, type SqsCase } from './contract-case.ts';
import { type ContractQueue, outcomeOf, systemAttribute } from './contract-queue.ts';

const start = async (sqs: SQSClient, input: Partial<StartMessageMoveTaskCommandInput>): Promise<string> =>
  (await sqs.send(new StartMessageMoveTaskCommand({ SourceArn: undefined, ...input }))).TaskHandle ?? '';
const list = async (
  sqs: SQSClient,
  SourceArn: string,
  MaxResults?: number,
): Promise<readonly ListMessageMoveTasksResultEntry[]> =>
  (await sqs.send(new ListMessageMoveTasksCommand({ SourceArn, MaxResults }))).Results ?? [];

/** AWS documents that these requests are refused, but not with which error code. */
const refusal = async (request: Promise<unknown>): Promise<string> =>
  (await outcomeOf(request)) === 'accepted' ? 'accepted' : 'refused';

/** Enough for a task without a rate to move a few messages. */
const TASK_SECONDS = 3;

/** Creates a queue and its dead-letter queue. */
const pair = async ({ queue }: ContractTools, attributes: Record<string, string> = {}) => {
  const dead = await queue(attributes);
  const one = await queue({ ...attributes, ...redriveTo(await dead.arn(), 1) });
  return { one, dead, sourceArn: await dead.arn() };
};

/** Receives the messages, which are moved to the dead-letter queue at the next receive. */
const exhaust = async (one: ContractQueue, messages: number): Promise<void> => {
  for (let receive = 0; receive <= messages; receive += 1) await one.bodies({ max: 10, visibilitySeconds: 0 });
};

/** `StartMessageMoveTask`, `ListMessageMoveTasks`, and `CancelMessageMoveTask`. */
export const MOVE_TASK_CASES: readonly SqsCase[] = [
  {
    name: 'redrive: messages return to the queue that they came from, as new messages that were never received',
    source: SOURCES.redrive,
    async observe(tools) {
      const { one, dead, sourceArn } = await pair(tools);
      const ids = [await one.send('a'), await one.send('b')];
      await exhaust(one, 2);
      await start(tools.sqs, { SourceArn: sourceArn });
      await tools.pass(TASK_SECONDS);
      const [task] = await list(tools.sqs, sourceArn);
      const received = await one.receive({ waitSeconds: 2 });
      return {
        status: task?.Status,
        moved: task?.ApproximateNumberOfMessagesMoved,
        bodies: received.map(({ Body }) => Body).toSorted(),
        areNew: received.every(({ MessageId = '' }) => !ids.includes(MessageId)),
        receives: received.map((message) => systemAttribute(message, 'ApproximateReceiveCount')),
        left: await dead.bodies(),
      };
    },
    expected: { status: 'COMPLETED', moved: 2, bodies: ['a', 'b'], areNew: true, receives: ['1', '1'], left: [] },
  },
  {
    name: 'redrive: with a destination, a task also moves messages that an application put in the dead-letter queue',
    source: SOURCES.startMoveTask,
    async observe(tools) {
      const { dead, sourceArn } = await pair(tools);
      const other = await tools.queue();
      await dead.send('a', { MessageAttributes: { reason: { DataType: 'String', StringValue: 'r' } } });
      await start(tools.sqs, { SourceArn: sourceArn, DestinationArn: await other.arn() });
      await tools.pass(TASK_SECONDS);
      const [message] = await other.receive({ waitSeconds: 2 });
      return [message?.Body, message?.MessageAttributes?.reason?.StringValue, await dead.bodies()];
    },
    expected: ['a', 'r', []],
  },
  {
    name: 'redrive: without a destination, a task fails at a message that an application put in the dead-letter queue',
    source: SOURCES.redriveTroubleshooting,
    async observe(tools) {
      const { dead, sourceArn } = await pair(tools);
      await dead.send('a');
      await start(tools.sqs, { SourceArn: sourceArn });
      await tools.pass(TASK_SECONDS);
      const [task] = await list(tools.sqs, sourceArn);
      return { status: task?.Status, reason: task?.FailureReason, left: await dead.bodies({ waitSeconds: 2 }) };
    },
    expected: { status: 'FAILED', reason: 'CouldNotDetermineMessageSource', left: ['a'] },
  },
  {
    name: 'redrive: from a dead-letter queue to another queue of the same type, with 1 to 500 messages per second',
    source: SOURCES.startMoveTask,
    async observe(tools) {
      const { one, sourceArn } = await pair(tools);
      const fifo = await (await tools.queue(FIFO)).arn();
      const attempt = (input: object) => start(tools.sqs, { SourceArn: sourceArn, ...input });
      return {
        'no such source': await outcomeOf(attempt({ SourceArn: `${sourceArn}-missing` })),
        'not a dead-letter queue': await refusal(attempt({ SourceArn: await one.arn() })),
        'no such destination': await outcomeOf(attempt({ DestinationArn: `${sourceArn}-missing` })),
        'the same queue': await refusal(attempt({ DestinationArn: sourceArn })),
        'another type': await refusal(attempt({ DestinationArn: fifo })),
        'too slow': await refusal(attempt({ MaxNumberOfMessagesPerSecond: 0 })),
        'too fast': await refusal(attempt({ MaxNumberOfMessagesPerSecond: 501 })),
      };
    },
    expected: {
      'no such source': 'ResourceNotFoundException',
      'not a dead-letter queue': 'refused',
      'no such destination': 'ResourceNotFoundException',
      'the same queue': 'refused',
      'another type': 'refused',
      'too slow': 'refused',
      'too fast': 'refused',
    },
  },
  {
    name: 'redrive: a queue has one task at a time; a cancelled one leaves the rest where it is',
    source: SOURCES.cancelMoveTask,
    async observe(tools) {
      const { dead, sourceArn } = await pair(tools);
      const other = await tools.queue();
      for (let body = 0; body < 20; body += 1) await dead.send(String(body));
      const rate = { SourceArn: sourceArn, DestinationArn: await other.arn(), MaxNumberOfMessagesPerSecond: 1 };
      const handle = await start(tools.sqs, rate);
      await tools.pass(TASK_SECONDS);
      const [running] = await list(tools.sqs, sourceArn);
      const second = await refusal(start(tools.sqs, rate));
      const cancelled = await tools.sqs.send(new CancelMessageMoveTaskCommand({ TaskHandle: handle }));
      await tools.pass(TASK_SECONDS);
      const [task] = await list(tools.sqs, sourceArn);
      const counts = [dead, other].map((queue) => queue.attribute('ApproximateNumberOfMessages'));
      const [left, moved] = (await Promise.all(counts)).map(Number);
      return {
        running: [running?.Status, running?.TaskHandle === handle, running?.MaxNumberOfMessagesPerSecond],
        second,
        status: task?.Status,
        handle: task?.TaskHandle,
        isPartial: moved !== undefined && moved > 0 && moved < 20 && moved === task?.ApproximateNumberOfMessagesMoved,
        isStopped: moved === cancelled.ApproximateNumberOfMessagesMoved && (left ?? 0) + (moved ?? 0) === 20,
        again: await refusal(tools.sqs.send(new CancelMessageMoveTaskCommand({ TaskHandle: handle }))),
        unknown: await outcomeOf(tools.sqs.send(new CancelMessageMoveTaskCommand({ TaskHandle: 'unknown' }))),
      };
    },
    expected: {
      running: ['RUNNING', true, 1],
      second: 'refused',
      status: 'CANCELLED',
      handle: undefined,
      isPartial: true,
      isStopped: true,
      again: 'refused',
      unknown: 'ResourceNotFoundException',
    },
  },
  {
    name: 'redrive: in a FIFO queue, messages keep their group and its order',
    source: SOURCES.redrive,
    async observe(tools) {
      const { one, dead, sourceArn } = await pair(tools, FIFO);
      await one.sendToGroup('a', 'a0', 'a1');
      await exhaust(one, 2);
      await start(tools.sqs, { SourceArn: sourceArn });
      await tools.pass(TASK_SECONDS);
      const received = await one.receive({ waitSeconds: 2 });
      return {
        bodies: received.map(({ Body }) => Body),
        groups: received.map((message) => systemAttribute(message, 'MessageGroupId')),
        left: await dead.bodies(),
      };
    },
    expected: { bodies: ['a0', 'a1'], groups: ['a', 'a'], left: [] },
  },
  {
    name: 'redrive: the retention period of a moved message starts again',
    source: SOURCES.redrive,
    async observe(tools) {
      const { one, sourceArn } = await pair(tools, { MessageRetentionPeriod: '60' });
      await one.send('a');
      await exhaust(one, 1);
      await tools.pass(40);
      await start(tools.sqs, { SourceArn: sourceArn });
      await tools.pass(25);
      const kept = (await one.receive({ visibilitySeconds: 0 })).length;
      await tools.pass(40);
      return { kept, afterwards: await one.bodies() };
    },
    expected: { kept: 1, afterwards: [] },
  },
  {
    name: 'redrive: a list has the newest task first, one by default and ten at most',
    source: SOURCES.listMoveTasks,
    async observe(tools) {
      const { dead, sourceArn } = await pair(tools);
      const other = await (await tools.queue()).arn();
      await start(tools.sqs, { SourceArn: sourceArn });
      await tools.pass(TASK_SECONDS);
      await dead.send('a');
      await start(tools.sqs, { SourceArn: sourceArn, DestinationArn: other });
      await tools.pass(TASK_SECONDS);
      const moved = async (MaxResults?: number) =>
        (await list(tools.sqs, sourceArn, MaxResults)).map((task) => task.ApproximateNumberOfMessagesMoved);
      return {
        newest: await moved(),
        all: await moved(10),
        'too few': await refusal(list(tools.sqs, sourceArn, 0)),
        'too many': await refusal(list(tools.sqs, sourceArn, 11)),
      };
    },
    expected: { newest: [1], all: [1, 0], 'too few': 'refused', 'too many': 'refused' },
  },
];
