import type { Instant } from './instant.ts';

/** Names a contact: who it is, on which platform. */
export interface ContactRef {
  readonly platform: string;
  /** The business number that the conversation window belongs to, or `*` where it is kept per user of the platform. */
  readonly channel: string;
  /** Derived from the address for matching alone: {@link contactKey}. */
  readonly key: string;
}

/** What is known of a contact when a send is decided. */
export interface Contact {
  /** The user's id, verbatim as last seen: what is sent to. */
  readonly address?: string;
  readonly lastInboundAt?: Instant;
  /** When the chat service last said that the window was closed (error 201). */
  readonly windowDeniedAt?: Instant;
  readonly optInAt?: Instant;
  readonly optOutAt?: Instant;
  /** When the service's contact check was last asked. */
  readonly checkedAt?: Instant;
  /** What it said: the number's proper format; undefined where it was not on the platform. */
  readonly checkedAddress?: string;
}

/** Whether a conversation window counts for a user of the platform, or for a user and one of the business's numbers. */
export type WindowPer = 'user' | 'channel';

const ANY_CHANNEL = '*';

const PHONE = /^\+?[\d\s().-]{6,}$/;

/** Whether an address is written like a phone number; other ids of users are none. */
export const isPhone = (address: string): boolean => PHONE.test(address);

/**
 * The key on which two spellings of one user's address meet.
 *
 * A phone becomes its digits, with the variants of Argentina, Brazil and Mexico folded to one; an id that is no phone
 * stays as it is. The rules are heuristics: the key finds a contact and is never sent to.
 */
export const contactKey = (address: string): string =>
  isPhone(address) ? foldVariants(address.replace(/\D/g, '')) : address;

/**
 * Names a contact by its address.
 *
 * @param channel the business number, where windows are kept per number; numbers meet on the same key as addresses do
 */
export const contactRef = (platform: string, address: string, channel?: string): ContactRef => ({
  platform: platform.toLowerCase(),
  channel: channel === undefined ? ANY_CHANNEL : contactKey(channel),
  key: contactKey(address),
});

const foldVariants = (digits: string): string => {
  switch (true) {
    case digits.startsWith('54'):
      return foldArgentina(digits);
    case digits.startsWith('55'):
      return foldBrazil(digits);
    case digits.startsWith('52'):
      return foldMexico(digits);
    default:
      return digits;
  }
};

/** 54 9 area subscriber, 54 area subscriber, 54 area 15 subscriber: area and subscriber are ten digits together. */
const foldArgentina = (digits: string): string => {
  const national = digits.slice(2);
  if (national.length === 11 && national.startsWith('9')) return `54${national.slice(1)}`;
  if (national.length !== 12) return digits;
  const trunk = [2, 3, 4].find((areaLength) => national.startsWith('15', areaLength));
  return trunk === undefined ? digits : `54${national.slice(0, trunk)}${national.slice(trunk + 2)}`;
};

/** 55 area 9 subscriber, 55 area subscriber. A subscriber that starts with 2 to 5 is a landline, which has no nine. */
const foldBrazil = (digits: string): string =>
  /^55\d{2}9[6-9]\d{7}$/.test(digits) ? `${digits.slice(0, 4)}${digits.slice(5)}` : digits;

/** 52 1 and ten digits, 52 and ten digits. */
const foldMexico = (digits: string): string => (/^521\d{10}$/.test(digits) ? `52${digits.slice(3)}` : digits);
