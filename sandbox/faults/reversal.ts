/** Lets a number of deliveries go in the reverse of the order in which they came, one after another. */
export type Reversal = {
  /** Resolves when it is this delivery's turn; `done` is to be called when it is over. */
  turn(): Promise<{ done(): void }>;
  /** Waits for no more deliveries. */
  letGo(): void;
};

export const createReversal = (count: number): Reversal => {
  const waiting: ((turn: { done(): void }) => void)[] = [];
  let isLetGo = false;

  const next = () => waiting.pop()?.({ done: next });
  return {
    turn: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        if (isLetGo || waiting.length === count) next();
      }),
    letGo() {
      isLetGo = true;
      next();
    },
  };
};
