/**
 * How far the run's clock is ahead, told with each event: a move of the clock is thereby ordered with the invocations.
 * The one thing that Lambda's own Runtime API does not have.
 */
export const CLOCK_OFFSET_HEADER = 'Parley-Clock-Offset-Ms';
