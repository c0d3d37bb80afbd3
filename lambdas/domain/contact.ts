import { createHash } from 'node:crypto';
import { isPhone, plainAddress } from './address.ts';
import type { Consent } from './consent.ts';
import type { Instant } from './instant.ts';

/** Identifies a contact: a user of a platform and, if windows are per number, one of the business's numbers. */
export interface ContactRef {
  readonly platform: string;
  /** The business number that the conversation window belongs to, or `*` if windows are per user. */
  readonly channel: string;
  /** Derived from the address by {@link contactKey}, for matching only. */
  readonly key: string;
}

/** Identifies a user by the chat service's own ID, which stays the same if the address changes. */
export interface CustomerRef {
  readonly platform: string;
  readonly customerId: string;
}

/** A customer at the business number that windows belong to. Addresses and opt-outs are stored for each number. */
export interface ChannelCustomer extends CustomerRef {
  /** As in a {@link ContactRef}. */
  readonly channel: string;
}

/** Returns the customers with these IDs, at the business number of a contact. */
export const customersAt = (
  { platform, channel }: ContactRef,
  customerIds: readonly string[],
): readonly ChannelCustomer[] => customerIds.map((customerId) => ({ platform, channel, customerId }));

/** Whose data an item is: that of a contact, or of a customer whose address is not known. */
export type DataSubject = ContactRef | CustomerRef;

/** A contact as stored; empty for an unknown user. */
export interface Contact {
  /** The user's id exactly as last received; messages are sent to it. */
  readonly address?: string | undefined;
  readonly name?: string | undefined;
  /** The chat service's ID of the user who wrote last. */
  readonly customerId?: string | undefined;
  /** When an event last showed that this user wrote. */
  readonly customerAt?: Instant | undefined;
  /** The latest time at which another customer wrote from this address: until then, it had another user. */
  readonly otherCustomerAt?: Instant | undefined;
  /** The IDs of all users who ever wrote from this address, the latest included. */
  readonly writerIds?: readonly string[] | undefined;
  /** The IDs that the chat service named with this address elsewhere: in statuses, in echoes, or at another number. */
  readonly otherCustomerIds?: readonly string[] | undefined;
  /** The IDs that an operator separated from this address, because they are not its user's. */
  readonly separatedCustomerIds?: readonly string[] | undefined;
  readonly lastInboundAt?: Instant | undefined;
  /** The chat service's ID of the message that the user wrote then. */
  readonly lastInboundId?: string | undefined;
  /** The time that this message itself states if it is later, because the chat service's clock is ahead. */
  readonly lastInboundOwnAt?: Instant | undefined;
  /** When the chat service last reported the window closed (error 201). */
  readonly windowDeniedAt?: Instant | undefined;
  /** Who answers the contact; see `HandoverTimes`. */
  readonly handoverAt?: Instant | undefined;
  readonly handbackAt?: Instant | undefined;
  readonly operatorWroteAt?: Instant | undefined;
  readonly operatorUntil?: Instant | undefined;
  /** When the number was last checked on the platform. */
  readonly checkedAt?: Instant | undefined;
  /** The number's proper format from that check; absent if the number is not on the platform. */
  readonly checkedAddress?: string | undefined;
  /** The latest consent of each kind and origin. @default none */
  readonly consents?: readonly Consent[];
}

/** Whether conversation windows are kept per user, or per user and business number. */
export const WINDOW_SCOPES = ['user', 'channel'] as const;
export type WindowPer = (typeof WINDOW_SCOPES)[number];

/** The channel of contacts if windows are per user, and of events that name no business number. */
export const ANY_CHANNEL = '*';

/**
 * Returns the key that all spellings of a user's address share.
 *
 * A phone number becomes its digits, with the variants of some countries folded into one; any other id stays as it is. The
 * folding is a heuristic: Parley uses the key to find a contact and never sends to it.
 */
export const contactKey = (address: string): string => {
  const plain = plainAddress(address);
  return isPhone(plain) ? foldVariants(plain.replace(/\D/g, '')) : plain;
};

/** The number at the end of a channel's id, such as `BIZ-chat-5491100000099`, after a separator. */
const NUMBER_IN_TAIL = /[^A-Za-z0-9]\+?(\d{7,15})$/;

/**
 * Returns the number that a channel's name contains: a phone number, or an id that ends in a phone number. Returns
 * undefined for any other name.
 */
export const numberOfChannel = (name: string): string | undefined =>
  isPhone(name) ? name : NUMBER_IN_TAIL.exec(name)?.[1];

/**
 * Builds a contact reference. Pass `channel`, the name of the business number, only if windows are per number. All
 * names of a number have the same key.
 */
export const contactRef = (platform: string, address: string, channel?: string): ContactRef => ({
  platform: platform.toLowerCase(),
  channel: channel === undefined ? ANY_CHANNEL : contactKey(numberOfChannel(channel) ?? channel),
  key: contactKey(address),
});

/** Whether a contact's address is a phone number, not an ID of its platform. */
export const isPhoneContact = ({ key }: ContactRef): boolean => isPhone(key);

/** Whether two contacts are the same user of a platform, with any of the business's numbers. */
export const isSameUser = (one: ContactRef, other: ContactRef): boolean =>
  one.platform === other.platform && one.key === other.key;

/** The stage settings that supply what requests and API calls leave out about a contact. */
export interface ContactDefaults {
  /** Used if a request names no platform. */
  readonly chatPlatform: string;
  /** Used if a request names no business number. */
  readonly chatChannelNumber: string;
  readonly windowPer: WindowPer;
}

/** How requests and API calls identify a contact. */
export interface NamedContact {
  readonly platformContactId: string;
  readonly chatPlatform?: string;
  readonly chatChannelNumber?: string;
}

/** Returns the contact that a request or an API call refers to. */
export const resolveContact = (defaults: ContactDefaults, named: NamedContact): ContactRef =>
  contactRef(
    named.chatPlatform ?? defaults.chatPlatform,
    named.platformContactId,
    defaults.windowPer === 'channel' ? (named.chatChannelNumber ?? defaults.chatChannelNumber) : undefined,
  );

/** Returns the customer that an API call refers to, as the user of the business number that windows belong to. */
export const resolveCustomer = (
  defaults: ContactDefaults,
  { customerId, ...named }: Omit<NamedContact, 'platformContactId'> & Pick<CustomerRef, 'customerId'>,
): ChannelCustomer => {
  const { platform, channel } = resolveContact(defaults, { ...named, platformContactId: '' });
  return { platform, channel, customerId };
};

/**
 * Returns a contact's SQS message group: the contact id itself if SQS accepts it, otherwise its hash.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
export const messageGroup = (platformContactId: string): string =>
  /^[\x21-\x7e]{1,128}$/.test(platformContactId)
    ? platformContactId
    : createHash('sha256').update(platformContactId).digest('hex');

const foldVariants = (digits: string): string => {
  switch (true) {
    case digits.startsWith('54'):
      return foldArgentina(digits);
    case digits.startsWith('55'):
      return foldBrazil(digits);
    case digits.startsWith('52'):
      return foldMexico(digits);
    case digits.startsWith('229'):
      return foldBenin(digits);
    case digits.startsWith('225'):
      return foldIvoryCoast(digits);
    default:
      return digits;
  }
};

/** Returns the digits of all numbers that share a phone number's key. */
export const addressVariants = (key: string): readonly string[] => {
  const [twoDigits, threeDigits] = [key.slice(2), key.slice(3)];
  const candidates = [
    `549${twoDigits}`,
    ...[2, 3, 4].map((area) => `54${twoDigits.slice(0, area)}15${twoDigits.slice(area)}`),
    `55${twoDigits.slice(0, 2)}9${twoDigits.slice(2)}`,
    `521${twoDigits}`,
    `22901${threeDigits}`,
    ...['01', '05', '07'].map((operator) => `225${operator}${threeDigits}`),
  ];
  return [key, ...candidates.filter((digits) => contactKey(digits) === key)];
};

/** 54 9 area subscriber, 54 area subscriber, or 54 area 15 subscriber; area and subscriber have ten digits in total. */
const foldArgentina = (digits: string): string => {
  const national = digits.slice(2);
  if (national.length === 11 && national.startsWith('9')) return `54${national.slice(1)}`;
  if (national.length !== 12) return digits;
  const areaLength = [2, 3, 4].find((length) => national.startsWith('15', length));
  return areaLength === undefined ? digits : `54${national.slice(0, areaLength)}${national.slice(areaLength + 2)}`;
};

/** 55 area 9 subscriber, or 55 area subscriber. Subscribers that start with 2 to 5 are landlines and have no 9. */
const foldBrazil = (digits: string): string =>
  /^55\d{2}9[6-9]\d{7}$/.test(digits) ? `${digits.slice(0, 4)}${digits.slice(5)}` : digits;

/** 52 1 and ten digits, or 52 and ten digits. */
const foldMexico = (digits: string): string => (/^521\d{10}$/.test(digits) ? `52${digits.slice(3)}` : digits);

/**
 * Since 2024, every number of Benin has 01 before its earlier eight digits.
 * Source: https://github.com/mobi/telephone_number/issues/138
 */
const foldBenin = (digits: string): string => (/^22901\d{8}$/.test(digits) ? `229${digits.slice(5)}` : digits);

/**
 * Since 2021, the mobile numbers of Côte d'Ivoire have 01, 05, or 07 before their earlier eight digits, whose second one
 * shows the operator. Other numbers that start with these are new: the same digits may follow another operator's.
 * Sources: https://github.com/nyaruka/phonenumbers/issues/76, https://github.com/google/libphonenumber/issues/1909
 */
const foldIvoryCoast = (digits: string): string =>
  /^225(01[04-9][0-3]|05[04-9][4-6]|07[04-9][7-9])\d{6}$/.test(digits) ? `225${digits.slice(5)}` : digits;
