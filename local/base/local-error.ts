/** An error that the developer can act on. Only its message is printed, without a stack trace. */
export class LocalError extends Error {
  override readonly name = 'LocalError';
}

/**
 * Creates the error for a part of a template that the local run does not implement.
 *
 * @param place The location in the template, such as `Queue (AWS::SQS::Queue)`.
 * @param what What is not implemented, such as `the property Color`.
 * @param folder The folder in which to implement it.
 */
export const unsupported = (place: string, what: string, folder: string): LocalError =>
  new LocalError(`${place}: the local run does not support ${what}. Add it in ${folder}.`);

/** Returns the message of a thrown value. If the cleanup after an error also failed, the original error comes first. */
export const messageOf = (thrown: unknown): string => {
  if (thrown instanceof SuppressedError) {
    return `${messageOf(thrown.suppressed)} (cleanup also failed: ${messageOf(thrown.error)})`;
  }
  return thrown instanceof Error ? thrown.message : String(thrown);
};
