import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { type Answers, type Load, postEvents } from './post-events.ts';

/** Posts events from a thread of its own, so that the local cloud's work does not delay the clients' measurements. */
export interface LoadGenerator extends AsyncDisposable {
  readonly post: (load: Load) => Promise<Answers>;
}

export const startLoadGenerator = (): LoadGenerator => {
  const worker = new Worker(new URL(import.meta.url));
  return {
    post: (load) =>
      new Promise((resolve, reject) => {
        worker.once('message', (answers: Answers) => {
          worker.off('error', reject);
          resolve(answers);
        });
        worker.once('error', reject).postMessage(load);
      }),
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
};

if (!isMainThread) {
  parentPort?.on('message', async (load: Load) => parentPort?.postMessage(await postEvents(load)));
}
