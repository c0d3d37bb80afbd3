/** What cannot happen in a simulated stage, by the name of the witness, with the reason. If it happens, the run fails. */
export const IMPOSSIBLE: Readonly<Record<string, string>> = {
  'transition refuse from refused': 'x.',
};
