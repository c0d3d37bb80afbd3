import type { Inspector, InspectorChange } from '../../sandbox/base/inspector.ts';
import type { openSendLog, SendLog } from './send-log.ts';
import { createStageFeed } from './stage.ts';

const POLL_MS = 1_000;

type OnItem = Parameters<typeof openSendLog>[3];

/** What a watch looks at. */
export interface WatchedStage {
  /** Opens the log of sends and watches the table. */
  readonly openLog: (onItem: OnItem) => Promise<SendLog>;
  readonly stage: Inspector['stage'];
  readonly depths: Inspector['depths'];
  /** Returns the latest event on the bus. */
  readonly latestEvent: () => unknown;
}

/** Reports changes of a running stage. Watches nothing until it is used. */
export interface StageWatch extends Disposable, Pick<Inspector, 'watch'> {
  /** Returns the log of sends, which is opened on first use. */
  sendLog(): Promise<SendLog>;
}

export const createStageWatch = ({ openLog, stage, depths, latestEvent }: WatchedStage): StageWatch => {
  const listeners = new Set<(change: InspectorChange) => void>();
  let log: Promise<SendLog> | undefined;
  let polling: NodeJS.Timeout | undefined;
  let lastDepths = '';
  let lastEvent: unknown;

  const notify = (change: InspectorChange): void => {
    for (const listener of listeners) listener(change);
  };

  const readAndPushStage = createStageFeed(stage, (read) => notify({ kind: 'stage', stage: read }));
  const pushStage = (): void => {
    if (listeners.size > 0) readAndPushStage();
  };

  const sendLog = (): Promise<SendLog> => {
    if (log !== undefined) return log;
    log = openLog(({ isAccount, key, id, isRemoved, contactKey, customerId, send: own }, send, states) => {
      if (isAccount) pushStage();
      if (own === undefined) notify({ kind: 'item', key, id, isRemoved, contactKey, customerId });
      if (send !== undefined) notify({ kind: 'send', send, states });
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
    const current = await depths().catch(() => undefined);
    const json = JSON.stringify(current);
    if (current === undefined || json === lastDepths) return;
    lastDepths = json;
    notify({ kind: 'queues', depths: current });
  };

  const pollBus = (): void => {
    const latest = latestEvent();
    if (latest === lastEvent) return;
    lastEvent = latest;
    notify({ kind: 'bus' });
  };

  return {
    sendLog,
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
