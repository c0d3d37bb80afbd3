import { useEffect, useState } from 'preact/hooks';
import {
  callApi,
  type DeadLetter,
  encodeText,
  type InspectedQueue,
  inspectorPath,
  type QueueDepths,
  type Trace,
} from './api.ts';
import { showError, useConsole } from './console-state.ts';

/** A dead letter, and whether its request is in the table. */
export type ListedDeadLetter = DeadLetter & { readonly hasSend: boolean };

/** A redriven message that fails again is back by then. */
const REDRIVEN_MS = 2_000;

/** Returns how many dead letters a queue has; 0 if it does not exist. */
export const deadLettersOf = (queue: InspectedQueue, depths: QueueDepths | undefined): number => {
  const { sendDeadLetters = 0, bulkDeadLetters = 0, inboundDeadLetters = 0 } = depths ?? {};
  return { send: sendDeadLetters, bulk: bulkDeadLetters, inbound: inboundDeadLetters }[queue];
};

export const allDeadLetters = (depths: QueueDepths | undefined): number =>
  QUEUES.reduce((sum, queue) => sum + deadLettersOf(queue, depths), 0);

const QUEUES: readonly InspectedQueue[] = ['send', 'bulk', 'inbound'];

/**
 * Returns the dead letters of a queue, undefined until they are loaded, and a function that loads them again.
 *
 * @param exists false for a queue that the stage does not have, and which therefore has none
 */
export const useDeadLetters = (
  queue: InspectedQueue,
  exists = true,
): readonly [deadLetters: readonly ListedDeadLetter[] | undefined, reload: () => Promise<void>] => {
  const [deadLetters, setDeadLetters] = useState<readonly ListedDeadLetter[]>();
  const [reloads, setReloads] = useState(0);
  const depth = useConsole(({ queueDepths }) => queueDepths && deadLettersOf(queue, queueDepths));
  const load = async (isWanted: () => boolean = () => true) => {
    const found = exists ? await fetchDeadLetters(queue) : [];
    if (found !== undefined && isWanted()) setDeadLetters(found);
  };
  useEffect(() => {
    let isWanted = true;
    void load(() => isWanted);
    return () => {
      isWanted = false;
    };
  }, [queue, exists, depth]);
  useEffect(() => {
    const timer = reloads === 0 ? undefined : setTimeout(() => void load(), REDRIVEN_MS);
    return () => clearTimeout(timer);
  }, [reloads]);
  const reload = async () => {
    await load();
    setReloads((count) => count + 1);
  };
  return [deadLetters, reload];
};

const fetchDeadLetters = async (queue: InspectedQueue): Promise<readonly ListedDeadLetter[] | undefined> => {
  const result = await callApi<{ messages: readonly DeadLetter[] }>('GET', inspectorPath(`dead-letters/${queue}`));
  if (!result.ok) {
    showError(result.error);
    return undefined;
  }
  return Promise.all(result.value.messages.map(async (one) => ({ ...one, hasSend: await hasSend(one.requestId) })));
};

const hasSend = async (requestId: string | undefined): Promise<boolean> => {
  if (requestId === undefined) return false;
  const result = await callApi<Trace>('GET', inspectorPath(`requests/${encodeText(requestId)}`));
  return result.ok && result.value.send !== undefined;
};
