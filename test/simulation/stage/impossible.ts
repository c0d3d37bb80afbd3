/** Witnesses that cannot occur in a simulated stage, with the reason. If one occurs, the run fails. */
export const IMPOSSIBLE: Readonly<Record<string, string>> = {
  'call intent/v2: window-closed': 'The chat service checks the window only for free-form messages.',
  'transition accept from uncertain':
    'A lease outlives the process that has it, by the one clock that all functions of a simulated stage share.',
  'event MessageStatusChanged': 'The simulated chat service reports only delivered, read, and failed.',
};
