import type { Draw } from './random-draw.ts';

/** A user with all addresses that can identify the user. */
export type Addresses = readonly string[];

const digits = (index: number, length: number): string => String(index).padStart(length, '0');

/**
 * The forms of a user's address, by kind of user. They follow the field notes of the contract rather than the rules
 * that are under test.
 */
const FORMS = {
  argentine: (index) => {
    const subscriber = `5555${digits(index, 4)}`;
    return [`+54911${subscriber}`, `54911${subscriber}`, `+5411${subscriber}`, `+541115${subscriber}`];
  },
  argentineOutsideBuenosAires: (index) => {
    const subscriber = `555${digits(index, 4)}`;
    return [`+549351${subscriber}`, `+54351${subscriber}`, `54351${subscriber}`, `+5435115${subscriber}`];
  },
  brazilian: (index) => {
    const subscriber = `8765${digits(index, 4)}`;
    return [`+55119${subscriber}`, `55119${subscriber}`, `+5511${subscriber}`];
  },
  mexican: (index) => {
    const subscriber = `55432${digits(index, 5)}`;
    return [`+521${subscriber}`, `521${subscriber}`, `+52${subscriber}`];
  },
  elsewhere: (index) => [`+4915123${digits(index, 6)}`, `4915123${digits(index, 6)}`],
  platformId: (index) => [`US.1349${digits(index, 6)}.7`],
  webChat: (index) => [`web-chat-${digits(index, 4)}-b`],
  /** An address that SQS rejects as a message group ID. */
  named: (index) => [`señora-nº-${index}`],
} as const satisfies Record<string, (index: number) => Addresses>;

export type ContactKind = keyof typeof FORMS;

export const CONTACT_KINDS = Object.keys(FORMS) as ContactKind[];

export const addressesOf = (kind: ContactKind, index: number): Addresses => FORMS[kind](index);

const OTHER_KINDS = CONTACT_KINDS.filter((kind) => kind !== 'argentine');

/** Draws 2 to 40 users. Small numbers are more likely. */
export const drawContacts = (draw: Draw): readonly Addresses[] =>
  Array.from({ length: Math.round(draw.magnitude(2, 40)) }, (_, index) =>
    addressesOf(draw.chance(0.4) ? 'argentine' : draw.pick(OTHER_KINDS), index),
  );
