import { setTimeout as pause } from 'node:timers/promises';

/** Asks again and again until there is an answer; the test's own time-out ends it otherwise. */
export const eventually = async <Answer>(
  ask: () => Promise<Answer | undefined> | Answer | undefined,
): Promise<Answer> => {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await pause(5);
  }
};
