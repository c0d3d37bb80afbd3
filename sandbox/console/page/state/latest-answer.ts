/** Asks a question that changes often. */
export interface LatestAnswer<Question> {
  /** Replaces the question. An answer to an earlier one is dropped. */
  ask(question: Question): void;
  /** Drops the question. */
  stop(): void;
}

/**
 * Asks when a question has not changed for a while. Makes one call at a time: a question that changes during a call is
 * asked after it.
 *
 * @param call never rejects
 */
export const createLatestAnswer = <Question, Answer>(
  call: (question: Question) => Promise<Answer>,
  show: (question: Question, answer: Answer) => void,
  delayMs: number,
): LatestAnswer<Question> => {
  let latest: { readonly question: Question } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isCalling = false;
  const run = async (): Promise<void> => {
    if (isCalling || latest === undefined) return;
    isCalling = true;
    const asked = latest;
    const answer = await call(asked.question);
    isCalling = false;
    if (asked === latest) return show(asked.question, answer);
    if (timer === undefined) await run();
  };
  return {
    ask(question) {
      latest = { question };
      clearTimeout(timer);
      timer = setTimeout(() => {
        timer = undefined;
        void run();
      }, delayMs);
    },
    stop() {
      latest = undefined;
      clearTimeout(timer);
      timer = undefined;
    },
  };
};
