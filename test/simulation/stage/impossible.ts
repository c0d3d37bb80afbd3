/** What cannot happen in a simulated stage, by the name of the witness, with the reason. If it happens, the run fails. */
export const IMPOSSIBLE: Readonly<Record<string, string>> = {
  'call intent/v2: window-closed': 'The chat service checks the window only for free-form messages.',
  'transition accept from uncertain':
    'A lease outlives the process that has it, by the one clock that all functions of a simulated stage share.',
  'event MessageStatusChanged': 'The simulated chat service reports only delivered, read, and failed.',
};
