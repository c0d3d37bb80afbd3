import type { Answer } from '../../../lambdas/manage/api/answer.ts';
import type { Invocation } from '../../../lambdas/runtime/frame.ts';
import { MANAGE_TIMEOUT_MS, type ManagementRequest } from '../world/manage-process.ts';
import { createSimulatedTable, type TableState } from '../world/table.ts';
import type { Turns } from '../world/turns.ts';
import type { Scene, SceneObserver } from './scene.ts';
import type { createSceneFunctions } from './scene-functions.ts';
import type { ApiCaller, OtherWork, SceneOptions } from './scene-options.ts';
import type { WebhookSender } from './webhook-sender.ts';

/**
 * What calls the functions directly: the callers of the management API, the webhook's sender, and the daily run. Also
 * work of other functions.
 */
export interface SceneActors {
  /** Starts the callers, the daily run, and other work. */
  start(): void;
  /** Starts the webhook requests if they may start and have not started yet. */
  startPosts(): void;
  /** Restarts the work of a process that died, in a new process. */
  restart(process: string): void;
  /** Identifies the actors' attempts, as a part of the scene's state. */
  key(): string;
}

interface SceneActorsOptions {
  readonly scene: () => Scene;
  readonly options: SceneOptions;
  readonly turns: Turns;
  readonly table: TableState;
  readonly sender: WebhookSender;
  readonly functions: Pick<ReturnType<typeof createSceneFunctions>, 'startManage'>;
  readonly observer: SceneObserver;
  readonly answers: Map<string, Answer>;
}

/**
 * How long Lambda waits before it retries an asynchronous invocation.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
const ASYNC_RETRY_MS = 60_000;
const MAX_CALLS_OF_A_CALLER = 6;

export const createSceneActors = ({
  scene,
  options,
  turns,
  table,
  sender,
  functions: { startManage },
  observer,
  answers,
}: SceneActorsOptions): SceneActors => {
  const { callers = [], posts = [], others = [], keeps = 0, maxFaults = 0 } = options;
  const attempts = new Map<string, number>();
  /** Starts the work again if the process dies. */
  const restarts = new Map<string, () => void>();
  let arePostsStarted = false;

  /** Runs an actor's work in one process after another until one succeeds. */
  const repeat = (
    actor: string,
    work: (process: string, count: number) => Promise<boolean>,
    retryAfterMs = 0,
  ): void => {
    const count = (attempts.get(actor) ?? 0) + 1;
    if (count > maxFaults + 2) return;
    attempts.set(actor, count);
    const name = `${actor}.${count}`;
    restarts.set(name, () => repeat(actor, work, retryAfterMs));
    turns.observe(name, 'started');
    const done =
      count > 1 && retryAfterMs > 0 ? turns.sleep(name, retryAfterMs).then(() => work(name, count)) : work(name, count);
    void done
      .catch(() => false)
      .then((isDone) => {
        if (!restarts.delete(name)) return;
        turns.forget(name);
        if (!isDone) repeat(actor, work, retryAfterMs);
      });
  };

  const startCaller = (caller: ApiCaller, place = 0, request: ManagementRequest = caller.request): void => {
    const actor = place === 0 ? caller.name : `${caller.name}+${place}`;
    repeat(actor, async (process) => {
      const answer = await startManage(process).call(request);
      answers.set(actor, answer);
      observer.onAnswer?.(scene(), caller.name);
      const next = place + 1 < MAX_CALLS_OF_A_CALLER ? caller.then?.(scene()) : undefined;
      if (next) startCaller(caller, place + 1, next);
      return true;
    });
  };

  const startKeep = (place = 0): void => {
    if (place >= keeps) return;
    const { clock } = scene();
    const startedAt = clock.ms;
    const invocation: Invocation = {
      getRemainingTimeInMillis: () => startedAt + MANAGE_TIMEOUT_MS - clock.ms,
    };
    const work = async (process: string): Promise<boolean> => {
      await startManage(process).keep(invocation);
      startKeep(place + 1);
      return true;
    };
    repeat(place === 0 ? 'keep' : `keep+${place}`, work, ASYNC_RETRY_MS);
  };

  const startOther = ({ name, run }: OtherWork): void => {
    turns.observe(name, 'started');
    const ownTable = createSimulatedTable(table, (label, perform, _, touches) =>
      turns.call({ process: name, label, perform, canEndProcess: false, ...(touches && { touches }) }),
    );
    // The end of an abandoned run fails the calls that are still pending.
    void run(ownTable, scene().clock)
      .catch(() => undefined)
      .then(() => turns.forget(name));
  };

  return {
    start() {
      for (const caller of callers) startCaller(caller);
      for (const other of others) startOther(other);
      startKeep();
    },
    startPosts() {
      if (arePostsStarted || options.postsFollow?.(scene()) === false) return;
      arePostsStarted = true;
      for (const place of posts.keys()) {
        repeat(`post${place}`, (process, count) => sender.deliver(place, process, count));
      }
    },
    restart(process) {
      sender.forget(process);
      const restart = restarts.get(process);
      restarts.delete(process);
      restart?.();
    },
    key: () =>
      [...attempts]
        .map((entry) => entry.join())
        .toSorted()
        .join(';'),
  };
};
