import { SEND_STATES } from '../../lambdas/domain/send-transitions.ts';
import type { Inspector, InspectorChange } from '../../sandbox/inspector.ts';
import type { Emulators } from '../emulators/emulators.ts';
import { createLocalManagementClient } from './management-client.ts';
import { createQueueOperations, type QueueUrls } from './queues.ts';
import { createResolveSend } from './resolve-send.ts';
import { openSendLog, type SendLog } from './send-log.ts';
import { type BusEvents, readTrace } from './trace.ts';

/** The parts of the stack that the inspector shows. */
export interface InspectedStack extends QueueUrls {
  readonly tableName: string;
  /** Undefined if the stage publishes no events. */
  readonly eventBusName?: string | undefined;
}

const POLL_MS = 1_000;

/** Creates the console's view of a local run: its table, queues, and event bus. Watches nothing until it is used. */
export const createInspector = (
  { dynamodb, dynamodbStreams, sqs, buses }: Emulators,
  stack: InspectedStack,
): Inspector & Disposable => {
  const queues = createQueueOperations(sqs, stack);
  const listeners = new Set<(change: InspectorChange) => void>();
  let log: Promise<SendLog> | undefined;
  let polling: NodeJS.Timeout | undefined;
  let lastDepths = '';
  let lastEvent: unknown;

  const notify = (change: InspectorChange): void => {
    for (const listener of listeners) listener(change);
  };

  const sendLog = (): Promise<SendLog> => {
    log ??= openSendLog(dynamodb, dynamodbStreams, stack.tableName, (item, send, states) => {
      const contact = typeof item.contact === 'string' ? item.contact : undefined;
      notify(
        send === undefined ? { kind: 'item', key: `${item.pk} ${item.sk}`, contact } : { kind: 'send', send, states },
      );
    });
    // The next request tries again.
    log.catch(() => (log = undefined));
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

  const busEvents = (): BusEvents =>
    buses.events(stack.eventBusName).map(({ time, 'detail-type': type, detail }) => ({ at: time, type, detail }));

  return {
    ...queues,
    resolve: createResolveSend(createLocalManagementClient(stack.managementUrl)),
    sendStates: SEND_STATES,
    sends: async (filter) => (await sendLog()).find(filter),
    trace: (subject) => readTrace(dynamodb, stack.tableName, busEvents, subject),
    watch(listener) {
      listeners.add(listener);
      lastDepths = '';
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
