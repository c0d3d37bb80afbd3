import { contactKey } from './contact-key.ts';
import type { ServiceState } from './state.ts';

/** One of the business's own numbers. */
export type Channel = { readonly chatChannelNumber: string };

/** The business's own number as the service knows it, for any spelling of it; undefined when it is not one of ours. */
export const findChannel = (state: ServiceState, chatChannelNumber: string): string | undefined => {
  const key = contactKey(chatChannelNumber);
  return chatChannelNumbers(state).find((own) => contactKey(own) === key);
};

/** The business's own numbers, the first one first. */
export const chatChannelNumbers = (state: ServiceState): string[] => [...state.channels.keys()];
