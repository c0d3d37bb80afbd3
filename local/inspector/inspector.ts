import { SEND_STATES } from '../../lambdas/domain/send-transitions.ts';
import type { Inspector, InspectorChange, StageFeatures } from '../../sandbox/inspector.ts';
import type { Emulators } from '../emulators/emulators.ts';
import { createContactOperations } from './contacts.ts';
import { createDeadLetterOperations } from './dead-letters.ts';
import { createDryRun } from './dry-run.ts';
import { createLocalManagementClient } from './management-client.ts';
import { createQueueOperations, type QueueUrls } from './queues.ts';
import { createResolveSend } from './resolve-send.ts';
import { createSendHistory, sendKey } from './send-history.ts';
import { openSendLog, type SendLog } from './send-log.ts';
import { createStageFeed, createStageOperations } from './stage.ts';
import { type FindBusEvents, readTrace } from './trace.ts';

/** The parts of the stack that the inspector shows. */
export interface InspectedStack extends QueueUrls {
  readonly managementUrl: string;
  readonly tableName: string;
  readonly eventBusName: string;
}

const POLL_MS = 1_000;

/** How long to wait for the decision while the user types. The first call also starts the function. */
const DRY_RUN_TIMEOUT_MS = 10_000;

/** The sort key of the item that has the circuit breaker and an operator's stop. */
const ACCOUNT = 'ACCOUNT';

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
  const listeners = new Set<(change: InspectorChange) => void>();
  let log: Promise<SendLog> | undefined;
  let polling: NodeJS.Timeout | undefined;
  let lastDepths = '';
  let lastEvent: unknown;

  const notify = (change: InspectorChange): void => {
    for (const listener of listeners) listener(change);
  };

  const readAndPushStage = createStageFeed(stageOperations.stage, (stage) => notify({ kind: 'stage', stage }));
  const pushStage = (): void => {
    if (listeners.size > 0) readAndPushStage();
  };

  const sendLog = (): Promise<SendLog> => {
    if (log !== undefined) return log;
    log = openSendLog(dynamodb, dynamodbStreams, stack.tableName, (item, send, states) => {
      history.add(item);
      if (item.sk === ACCOUNT) pushStage();
      const contact = typeof item.contact === 'string' ? item.contact : undefined;
      notify(
        send === undefined ? { kind: 'item', key: `${item.pk} ${item.sk}`, contact } : { kind: 'send', send, states },
      );
    });
    log.then(
      // The stage may have changed before its item was watched.
      pushStage,
      // The next request tries again.
      () => (log = undefined),
    );
    return log;
  };

  const pollQueues = async (): Promise<void> => {
    if (listeners.size === 0) return;
    // Ignores errors, because other parts report an emulator that has stopped.
    const depths = await queues.depths().catch(() => undefined);
    const json = JSON.stringify(depths);
    if (depths === undefined || json === lastDepths) return;
    lastDepths = json;
    notify({ kind: 'queues', depths });
  };

  const pollBus = (): void => {
    const latest = buses.events(stack.eventBusName).at(-1)?.detail;
    if (latest === lastEvent) return;
    lastEvent = latest;
    notify({ kind: 'bus' });
  };

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
    ...createContactOperations(api),
    dryRun: createDryRun(createLocalManagementClient(stack.managementUrl, DRY_RUN_TIMEOUT_MS)),
    resolve: createResolveSend(api),
    sendStates: SEND_STATES,
    features,
    sends: async (filter) => (await sendLog()).find(filter),
    async trace(subject) {
      const trace = await readTrace(dynamodb, stack.tableName, findBusEvents, subject);
      const key =
        trace.items.find(({ sk }) => sk === 'SEND')?.pk ?? ('requestId' in subject && sendKey(subject.requestId));
      return { ...trace, ...history.of(key) };
    },
    watch(listener) {
      listeners.add(listener);
      lastDepths = '';
      pushStage();
      // If the table cannot be watched, the console can still read it on request.
      void sendLog().catch(() => undefined);
      polling ??= setInterval(() => {
        pollBus();
        void pollQueues();
      }, POLL_MS);
      return () => listeners.delete(listener);
    },
    [Symbol.dispose]() {
      listeners.clear();
      clearInterval(polling);
      void log?.then((opened) => opened[Symbol.dispose]()).catch(() => undefined);
    },
  };
};
