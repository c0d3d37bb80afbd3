import { useEffect, useRef, useState } from 'preact/hooks';
import { callApi, type Decided, inspectorPath } from './api.ts';
import { serviceTime, store, useConsole } from './console-state.ts';
import type { RequestContent } from './enqueue.ts';
import { createLatestAnswer } from './latest-answer.ts';

/** Longer than a pause between keystrokes. */
const TYPING_DELAY_MS = 250;

const RETRY_DELAY_MS = 2_000;

/** Any ID: a dry run stores nothing. */
const DRY_RUN_ID = 'console-dry-run';

/** The longest delay of a timer (https://html.spec.whatwg.org/multipage/timers-and-user-prompts.html). */
const MAX_DELAY_MS = 2 ** 31 - 1;

interface Question {
  /** The request, and everything that the decision about it depends on. */
  readonly key: string;
  /** What else is a reason to ask again. Meanwhile, the last answer about the same key is still shown. */
  readonly version: string;
  readonly contact: string;
  readonly content: RequestContent;
}

/**
 * Returns what Parley would do with a request to a user now, or `asking` until Parley has answered about this request
 * in the current state. Undefined if there is nothing to send.
 */
export const useDryRun = (contact: string, content: RequestContent | undefined): Decided | 'asking' | undefined => {
  const [answered, setAnswered] = useState<{ key: string; version: string; answer: Decided } | undefined>();
  const [closings, setClosings] = useState(0);
  const [retries, setRetries] = useState(0);
  const asker = useRef(
    createLatestAnswer<Question, Decided>(
      ask,
      ({ key, version }, answer) => setAnswered({ key, version, answer }),
      TYPING_DELAY_MS,
    ),
  ).current;
  const key = `${useSituation(contact)} ${closings} ${JSON.stringify(content)}`;
  const version = useConsole(({ queueDepths }) => `${queueDepths?.send} ${queueDepths?.bulk} ${retries}`);
  useEffect(() => {
    if (content === undefined || (answered?.key === key && answered.version === version)) asker.stop();
    else asker.ask({ key, version, contact, content });
  }, [key, version]);
  useEffect(() => asker.stop, []);

  const decided = answered?.key === key ? answered.answer : undefined;
  const closesAt = decided?.kind === 'decided' ? decided.decision.windowClosesAt : undefined;
  useEffect(() => {
    if (closesAt === undefined) return;
    const remainingMs = Math.max(0, Date.parse(closesAt) - serviceTime()) + 1;
    const timer = setTimeout(() => setClosings((last) => last + 1), Math.min(remainingMs, MAX_DELAY_MS));
    return () => clearTimeout(timer);
  }, [closesAt, key]);
  useEffect(() => {
    if (answered?.answer.kind !== 'unavailable') return;
    const timer = setTimeout(() => setRetries((last) => last + 1), RETRY_DELAY_MS);
    return () => clearTimeout(timer);
  }, [answered]);

  return content === undefined ? undefined : (decided ?? 'asking');
};

/** Everything but the request that the decision depends on, as a key. */
const useSituation = (contact: string): string => {
  const clockOffsetMs = useConsole((state) => state.clockOffsetMs);
  const changes = useConsole((state) => state.contactChanges);
  const status = useConsole((state) => state.contactStatus);
  const stage = useConsole((state) => state.stage);
  const account = useConsole((state) => state.account);
  return JSON.stringify([contact, clockOffsetMs, changes, status, stage, account]);
};

const ask = async ({ contact, content }: Question): Promise<Decided> => {
  const request = { requestId: DRY_RUN_ID, platformContactId: contact, ...content };
  const result = await callApi<Decided>('POST', inspectorPath('dry-runs'), { request });
  return result.ok ? result.value : { kind: 'unavailable', message: result.error };
};

/** Notes that something about the selected user has changed in the customer's table. */
export const noteContactChange = (): void => store.set({ contactChanges: store.get().contactChanges + 1 });
