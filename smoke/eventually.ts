import { setTimeout as pause } from 'node:timers/promises';
import { SmokeError } from './smoke-options.ts';

/** What there is instead of the awaited result, for the message on timeout. */
export class NotYet {
  readonly seen: string;

  constructor(seen: string) {
    this.seen = seen;
  }
}

const POLL_MS = 250;

/** Polls until there is a result. @throws SmokeError that says what was expected and what was seen last */
export const eventually = async <Result>(
  expected: string,
  patienceMs: number,
  poll: () => Promise<Result | NotYet>,
): Promise<Result> => {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const found = await poll();
    if (!(found instanceof NotYet)) return found;
    if (performance.now() > deadline) {
      const seconds = Math.round(patienceMs / 1000);
      throw new SmokeError(`Expected within ${seconds} seconds: ${expected}. Seen: ${found.seen}.`);
    }
    await pause(POLL_MS);
  }
};
