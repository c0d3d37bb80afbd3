import { Worker } from 'node:worker_threads';
import type { SeedRange } from './simulate-seeds.ts';

export interface WorkersOptions<Result> extends SeedRange {
  readonly workers: number;
  /** The module of a worker, which answers each {@link SeedRange} with a result. */
  readonly worker: URL;
  /** The result of no seeds, and how two results are added. */
  readonly none: Result;
  readonly add: (one: Result, other: Result) => Result;
  readonly onProgress?: (soFar: Result) => void;
}

/** Small enough to show progress, and so that all threads end at about the same time. */
const MAX_RANGE = 20;

/** Simulates seeds on several threads. The result does not depend on the number of threads. */
export const simulateOnWorkers = async <Result>(options: WorkersOptions<Result>): Promise<Result> => {
  const { from, seeds, workers, worker, none, add, onProgress } = options;
  const size = Math.max(1, Math.min(MAX_RANGE, Math.ceil(seeds / workers / 4)));
  let next = from;
  let total = none;
  const takeRange = (): SeedRange | undefined => {
    const left = from + seeds - next;
    if (left <= 0) return undefined;
    const range = { from: next, seeds: Math.min(size, left) };
    next += range.seeds;
    return range;
  };

  const work = async (): Promise<void> => {
    const thread = new Worker(worker);
    try {
      for (let range = takeRange(); range !== undefined; range = takeRange()) {
        const result = await answerOf<Result>(thread, range);
        total = add(total, result);
        onProgress?.(total);
      }
    } finally {
      await thread.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, Math.ceil(seeds / size)) }, work));
  return total;
};

const answerOf = <Result>(thread: Worker, range: SeedRange): Promise<Result> =>
  new Promise((resolve, reject) => {
    const seeds = `the seeds ${range.from} to ${range.from + range.seeds - 1}`;
    const onError = (cause: unknown) => reject(new Error(`A worker failed at ${seeds}.`, { cause }));
    const onExit = (code: number) => reject(new Error(`A worker ended with code ${code} at ${seeds}.`));
    thread.once('error', onError);
    thread.once('exit', onExit);
    thread.once('message', (result: Result) => {
      thread.off('error', onError);
      thread.off('exit', onExit);
      resolve(result);
    });
    thread.postMessage(range);
  });
