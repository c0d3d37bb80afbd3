import type { ServiceState } from './state.ts';
import { contactKey, phoneDigits } from './users.ts';

/** Returns the business's own number as the service knows it, for any spelling; undefined for any other number. */
export const findChannel = (state: ServiceState, chatChannelNumber: string): string | undefined => {
  const key = contactKey(chatChannelNumber);
  return chatChannelNumbers(state).find((own) => contactKey(own) === key);
};

/** Returns the business's own numbers, the default one first. */
export const chatChannelNumbers = (state: ServiceState): string[] => [...state.channels.keys()];

/** What a click-to-chat link fills in for the user: the number to write to, and the prefilled text. */
export interface Draft {
  readonly chatChannelNumber: string;
  readonly text: string;
}

const LINK_PATH = /^\/chat\/(\d+)$/;

/**
 * Returns a click-to-chat link, which carries the business number and a prefilled text (contract, "Rules of use" 2).
 * The link's format is the sandbox's choice: the contract shows none.
 */
export const clickToChatLink = (origin: string, { chatChannelNumber, text }: Draft): string => {
  const link = new URL(`/chat/${phoneDigits(chatChannelNumber)}`, origin);
  if (text !== '') link.searchParams.set('text', text);
  return link.href;
};

/** Reads a click-to-chat link. Returns undefined if it does not name one of the business's numbers. */
export const openLink = (state: ServiceState, url: string): Draft | undefined => {
  const link = URL.parse(url);
  const digits = LINK_PATH.exec(link?.pathname ?? '')?.[1];
  const chatChannelNumber = digits === undefined ? undefined : findChannel(state, digits);
  if (link === null || chatChannelNumber === undefined) return undefined;
  return { chatChannelNumber, text: link.searchParams.get('text') ?? '' };
};
