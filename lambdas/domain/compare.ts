/** Compares two strings by their characters, as a sort without a comparison does, and regardless of any language. */
export const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
