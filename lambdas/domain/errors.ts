/** The base of the errors that Parley throws, none of which a retry can fix. `code` is stable; messages may change. */
export abstract class ParleyError extends Error {
  abstract readonly code: `ERR_${string}`;
}

/** The table can never accept a write, for example because the item would be too large. */
export class WriteRefusedError extends ParleyError {
  readonly code = 'ERR_WRITE_REFUSED';
}

/** An item of the table is not what Parley writes. */
export class DamagedItemError extends ParleyError {
  readonly code = 'ERR_DAMAGED_ITEM';
}
