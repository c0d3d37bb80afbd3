/**
 * Removes a message from the lists of gaps, which costs nothing if it is in none. `firstStatusAt` and `statusChannel` are
 * the time and the channel of its first status.
 */
export const NO_GAP = { stateShard: undefined, stateAt: undefined, firstStatusAt: undefined, statusChannel: undefined };
