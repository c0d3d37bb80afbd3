import type { AddressedRequest } from './addressed-request.ts';
import type { Contact } from './contact.ts';
import type { SendEndpoint } from './send-outcome.ts';
import type { TemplateReference } from './send-request.ts';

/** A call to the chat service. */
export interface SendCall {
  readonly endpoint: SendEndpoint;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Whether a status that confirmed a send belongs to an earlier call, because the latest one is known to have sent
 * nothing. Compares claims, not times, because the clocks of two functions can differ.
 */
export const isEarlierCallConfirmed = ({
  confirmedBy,
  claimId,
  unsentClaimId,
}: {
  readonly confirmedBy?: unknown;
  readonly claimId?: unknown;
  readonly unsentClaimId?: unknown;
}): boolean => confirmedBy !== undefined && unsentClaimId !== undefined && unsentClaimId === claimId;

/** How phone numbers are written in calls: as received, always with a leading plus, or as digits only. */
export const NUMBER_FORMATS = ['verbatim', 'plus', 'digits'] as const;
export type NumberFormat = (typeof NUMBER_FORMATS)[number];

/** Which calls carry the request id as `clientPayload`, which statuses then return as `CLIENT_PAYLOAD`. */
export const CLIENT_PAYLOADS = ['off', 'intent', 'all'] as const;
export type ClientPayloadMode = (typeof CLIENT_PAYLOADS)[number];

/** The stage settings that a call depends on. */
export interface CallSettings {
  readonly chatPlatform: string;
  readonly chatChannelNumber: string;
  readonly numberFormat: NumberFormat;
  readonly clientPayload: ClientPayloadMode;
}

const PHONE_NUMBER = /^\+?(\d{6,15})$/;

/** Formats a phone number. An id that is not a phone number is returned as it is. */
export const formatNumber = (address: string, format: NumberFormat): string => {
  const digits = PHONE_NUMBER.exec(address)?.[1];
  if (digits === undefined || format === 'verbatim') return address;
  return format === 'plus' ? `+${digits}` : digits;
};

const addressee = (request: AddressedRequest, contact: Contact, settings: CallSettings) => {
  const { chatPlatform = settings.chatPlatform } = request;
  // On other platforms, ids can be digits without being phone numbers.
  const isStages = chatPlatform.toLowerCase() === settings.chatPlatform.toLowerCase();
  const format = isStages ? settings.numberFormat : 'verbatim';
  return {
    chatPlatform,
    chatChannelNumber: formatNumber(request.chatChannelNumber ?? settings.chatChannelNumber, format),
    platformContactId: formatNumber(addressOf(request, contact), format),
  };
};

/**
 * Prefers the proper format from the contact check, then the id as last received, which the platform knows. The number
 * in the request may be a variant of either.
 */
const addressOf = (request: AddressedRequest, { checkedAddress, address }: Contact): string =>
  // The check returns digits; the contract writes numbers with a leading plus.
  checkedAddress === undefined ? (address ?? request.platformContactId) : formatNumber(checkedAddress, 'plus');

/** Returns the call that sends the request's text and media. */
export const freeFormCall = (request: AddressedRequest, contact: Contact, settings: CallSettings): SendCall => {
  const { messageText, audioURL, imageURL, fileURL } = request;
  const clientPayload = settings.clientPayload === 'all' && { clientPayload: request.requestId };
  return {
    endpoint: 'message/v3',
    body: { ...addressee(request, contact, settings), messageText, audioURL, imageURL, fileURL, ...clientPayload },
  };
};

/** Returns the call that sends a template, which opens a conversation. */
export const templateCall = (
  request: AddressedRequest,
  contact: Contact,
  settings: CallSettings,
  template: TemplateReference,
): SendCall => {
  const clientPayload = settings.clientPayload !== 'off' && { clientPayload: request.requestId };
  return { endpoint: 'intent/v2', body: { ...addressee(request, contact, settings), ...template, ...clientPayload } };
};
