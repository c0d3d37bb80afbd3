import { createHash } from 'node:crypto';

/** Returns a name, or, where it is longer than a resource's names can be, its beginning and a hash of all of it. */
export const nameWithin = (maxLength: number, name: string): string => {
  if (name.length <= maxLength) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.slice(0, maxLength - hash.length - 1)}-${hash}`;
};
