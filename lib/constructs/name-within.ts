import { createHash } from 'node:crypto';

/** Returns a name, shortened to `maxLength` with a hash of the whole name at its end if it is longer. */
export const nameWithin = (maxLength: number, name: string): string => {
  if (name.length <= maxLength) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.slice(0, maxLength - hash.length - 1)}-${hash}`;
};
