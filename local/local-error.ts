/** What the person at the keyboard can act upon: the message is shown alone, as one sentence or two, without a stack. */
export class LocalError extends Error {
  override readonly name = 'LocalError';
}

/** The message of whatever was thrown. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
