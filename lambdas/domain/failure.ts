import { maskNumbers } from './mask-numbers.ts';
import type { Failure } from './webhook-formats/webhook-format.ts';

/** How much of the chat service's reason Parley keeps. */
const MAX_REASON_CHARACTERS = 200;

/** The description of a failure without a code and a reason. */
export const NO_REASON = ' ';

/**
 * Describes why a message failed, as `<code> <reason>`, either of which can be missing. It is the same for every
 * delivery of the status. Numbers in the reason are masked, because it can quote the user's.
 */
export const describeFailure = ({ code = '', reason = '' }: Failure): string => {
  const masked = maskNumbers(reason.slice(0, 4 * MAX_REASON_CHARACTERS));
  return `${code} ${masked.slice(0, MAX_REASON_CHARACTERS).toWellFormed()}`;
};

/** Returns the outcome of a send whose message failed. The reason can quote the message, so it is content. */
export const outcomeOfFailure = (failure: string) => {
  const { code, reason: outcomeDetails } = parseFailure(failure);
  const outcome = `The chat service accepted it, and the message failed${code === undefined ? '' : `, code ${code}`}.`;
  return { outcome, outcomeDetails };
};

/** Parses what {@link describeFailure} returned. */
export const parseFailure = (failure: string): { readonly code?: string; readonly reason?: string } => {
  const separator = failure.indexOf(' ');
  const [code, reason] = [failure.slice(0, Math.max(0, separator)), failure.slice(separator + 1)];
  return { ...(code !== '' && { code }), ...(reason !== '' && { reason }) };
};
