/** An error with a message that Parley wrote and that quotes no data, so logs may contain it. */
export class LoggableError extends Error {}

/** The table responded, but other calls are writing the item. A retry can succeed. */
export class ItemBusyError extends LoggableError {}

/** The base class of errors that an immediate retry does not fix. `code` is stable; messages may change. */
export abstract class ParleyError extends LoggableError {
  abstract readonly code: `ERR_${string}`;
}

/** The table can never accept a write, for example because the item would be too large. */
export class WriteRefusedError extends ParleyError {
  readonly code = 'ERR_WRITE_REFUSED';
}

/** Returns the error for an event, or a message of a send, whose ID is that of another user's message. */
export const idOfAnotherContact = (id: string): WriteRefusedError =>
  new WriteRefusedError(`ID_OF_ANOTHER_CONTACT: The message ${id} is stored for another contact.`);

/** A list cannot continue at a position, which is therefore not one that it returned. */
export class InvalidPositionError extends ParleyError {
  readonly code = 'ERR_INVALID_POSITION';
}

/** An item in the table does not have the form that Parley writes. */
export class DamagedItemError extends ParleyError {
  readonly code = 'ERR_DAMAGED_ITEM';
}
