import { contactKey } from './contact-key.ts';
import type { ServiceState } from './state.ts';

/** The business's own number as the service knows it, for any spelling of it; undefined when it is not one of ours. */
export const findChannel = (state: ServiceState, chatChannelNumber: string): string | undefined => {
  const key = contactKey(chatChannelNumber);
  return state.chatChannelNumbers.find((own) => contactKey(own) === key);
};
