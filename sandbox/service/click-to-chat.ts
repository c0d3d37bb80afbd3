import { findChannel } from './channels.ts';
import { phoneDigits } from './contact-key.ts';
import type { ServiceState } from './state.ts';

/** What a user finds after opening a click-to-chat link: whom the message goes to, and its prefilled text. */
export type Draft = { chatChannelNumber: string; text: string };

const PATH = /^\/chat\/(\d+)$/;

/**
 * A click-to-chat link, which carries the business number and a prefilled text (contract, "Rules of use" 2). Its form
 * is the sandbox's own: the contract shows none.
 */
export const clickToChatLink = (origin: string, { chatChannelNumber, text }: Draft): string => {
  const link = new URL(`/chat/${phoneDigits(chatChannelNumber)}`, origin);
  if (text !== '') link.searchParams.set('text', text);
  return link.href;
};

/** What opening a link gives the user; undefined when it is no link to a number of the business. */
export const openLink = (state: ServiceState, url: string): Draft | undefined => {
  const link = URL.parse(url);
  const digits = PATH.exec(link?.pathname ?? '')?.[1];
  const chatChannelNumber = digits === undefined ? undefined : findChannel(state, digits);
  if (link === null || chatChannelNumber === undefined) return undefined;
  return { chatChannelNumber, text: link.searchParams.get('text') ?? '' };
};
