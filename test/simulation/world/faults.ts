/**
 * What can go wrong at a call of a port.
 *
 * - `fails-before`: the call fails, without effect.
 * - `fails-after`: the call takes effect, but fails for the caller, because the answer is lost.
 * - `outage`: the call fails, without effect, and so does every call of the table by this process for some seconds.
 * - `refused`: the chat service refuses the connection, which the caller can see.
 * - `garbage`: the chat service accepts the message and answers with what is not JSON.
 * - `dies-before`: the process dies before the call.
 * - `dies-after`: the call takes effect, and the process dies before it has the answer.
 * - `late`: the call takes effect, and the process is suspended until its lease has expired.
 * - `partial`: the event bus accepts only some of the events of a call.
 * - `overdue`: the call's time budget ends, so it fails for the caller. It takes effect at any later time.
 * - `repeated`: the SDK repeats the call after a timeout, and the caller gets the answer to the repetition. The first
 *   attempt takes effect, too, at any later time.
 */
export const FAULTS = [
  'fails-before',
  'fails-after',
  'outage',
  'refused',
  'garbage',
  'dies-before',
  'dies-after',
  'late',
  'overdue',
  'repeated',
  'partial',
] as const;

export type Fault = (typeof FAULTS)[number];

/** What happens instead of the call at each fault of its own. It returns the answer or throws. */
export type Failures<Answer> = { readonly [Name in Fault]?: (perform: () => Answer) => Answer };

/** A call that fails for the caller by throwing an error. */
export const throwing = <Answer>(name: string): Failures<Answer> => ({
  'fails-before': () => {
    throw new Error(`${name} is unavailable.`);
  },
  'fails-after': (perform) => {
    perform();
    throw new Error(`The answer of ${name} was lost.`);
  },
});
