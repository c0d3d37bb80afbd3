import { toInstant } from '../../lambdas/domain/instant.ts';
import { SEND_STATES } from '../../lambdas/domain/send-transitions.ts';
import type { Inspector, StageFeatures } from '../../sandbox/base/inspector.ts';
import type { Emulators } from '../emulators/emulators.ts';
import { createDeadLetterOperations } from './dead-letters.ts';
import { createLocalManagementClient } from './management-client.ts';
import { createManagementOperations } from './management-operations.ts';
import { createQueueOperations, type QueueUrls } from './queues.ts';
import { createSendHistory } from './send-history.ts';
import { openSendLog } from './send-log.ts';
import { createStageOperations } from './stage.ts';
import { createStageWatch } from './stage-watch.ts';
import { STATUSES } from './stored-items.ts';
import { type FindBusEvents, readTrace } from './trace.ts';

/** The parts of the stack that the inspector shows. */
export interface InspectedStack extends QueueUrls {
  readonly managementUrl: string;
  readonly tableName: string;
  readonly eventBusName: string;
}

/** How long to wait for the decision while the user types. The first call also starts the function. */
const DRY_RUN_TIMEOUT_MS = 10_000;

/** Creates the console's view of a local run: its table, queues, and event bus. Watches nothing until it is used. */
export const createInspector = (
  { dynamodb, dynamodbStreams, sqs, buses }: Pick<Emulators, 'dynamodb' | 'dynamodbStreams' | 'sqs' | 'buses'>,
  stack: InspectedStack,
  features: StageFeatures,
  /** Returns the run's time. */
  now: () => Date,
): Inspector & Disposable => {
  const api = createLocalManagementClient(stack.managementUrl);
  const queues = createQueueOperations(sqs, stack);
  const history = createSendHistory();
  const stageOperations = createStageOperations(api);
  const watch = createStageWatch({
    openLog: (onItem) =>
      openSendLog(dynamodb, dynamodbStreams, stack.tableName, (item, summary, states) => {
        if (item.send !== undefined) history.add(item.send);
        onItem(item, summary, states);
      }),
    stage: stageOperations.stage,
    depths: queues.depths,
    latestEvent: () => buses.events(stack.eventBusName).at(-1)?.detail,
  });

  const findBusEvents: FindBusEvents = (isWanted) =>
    buses
      .events(stack.eventBusName)
      .filter(({ detail }) => isWanted(detail))
      .map((event) => ({
        at: buses.receivedAt(event)?.toISOString() ?? event.time,
        type: event['detail-type'],
        detail: event.detail,
      }));

  return {
    ...queues,
    async enqueue(body, fifo, queue) {
      const at = now().toISOString();
      await queues.enqueue(body, fifo, queue);
      history.addRequest(body, at);
    },
    ...stageOperations,
    ...createDeadLetterOperations(sqs, stack, api),
    ...createManagementOperations(api),
    dryRun: createManagementOperations(createLocalManagementClient(stack.managementUrl, DRY_RUN_TIMEOUT_MS)).dryRun,
    sendStates: [...SEND_STATES, ...STATUSES.filter((status) => status !== 'failed')],
    features,
    sends: async (filter) => (await watch.sendLog()).find(filter),
    async trace(subject) {
      const source = { dynamodb, tableName: stack.tableName, findBusEvents, now: () => toInstant(now()) };
      const trace = await readTrace(source, subject);
      return {
        ...trace,
        ...history.of(trace.send?.requestId ?? ('requestId' in subject ? subject.requestId : undefined)),
      };
    },
    watch: watch.watch,
    [Symbol.dispose]: watch[Symbol.dispose],
  };
};
