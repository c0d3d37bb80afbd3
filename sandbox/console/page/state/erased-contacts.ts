import { isSameContact } from './find-user.ts';

let erased: readonly string[] = [];

/**
 * The users whom Parley has erased since the page was loaded. The chat service keeps them, so the page leaves them out
 * of what it loads and follows, until somebody selects one again.
 */
export const erasedContacts = {
  add: (contact: string): void => {
    erased = [...erased, contact];
  },
  /** Whether a user is erased, in any spelling of a phone number. */
  has: (contact: string | null | undefined): boolean => erased.some((one) => isSameContact(one, contact ?? '')),
  delete: (contact: string): void => {
    erased = erased.filter((one) => !isSameContact(one, contact));
  },
  clear: (): void => {
    erased = [];
  },
};
