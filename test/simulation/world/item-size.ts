/**
 * Returns an item's size in bytes, as DynamoDB calculates it.
 *
 * Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html, "Item sizes and
 * formats"
 */
export const itemBytes = (item: Readonly<Record<string, unknown>>): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);

/** The overhead of a list or a map, and of each of its members. */
const COLLECTION_BYTES = 3;
const MEMBER_BYTES = 1;

const valueBytes = (value: unknown): number => {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return numberBytes(value);
  if (value instanceof Uint8Array) return value.byteLength;
  if (value instanceof Set) return [...value].reduce((sum: number, member) => sum + valueBytes(member), 0);
  if (Array.isArray(value))
    return value.reduce((sum: number, member) => sum + MEMBER_BYTES + valueBytes(member), COLLECTION_BYTES);
  if (typeof value === 'object' && value !== null) {
    return COLLECTION_BYTES + MEMBER_BYTES * Object.keys(value).length + itemBytes({ ...value });
  }
  return 1;
};

/** About one byte for two significant digits, and one for the sign or the exponent. */
const numberBytes = (value: number): number =>
  Math.ceil(String(Math.abs(value)).replace(/^0*\.?0*|\.|0+$|e.*$/g, '').length / 2) + 1;
