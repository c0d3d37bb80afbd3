import { callApi, inspectorPath, type SendStates, type SendSummary } from './api.ts';
import { store } from './console-state.ts';

interface UncertainSends {
  readonly sends: readonly SendSummary[];
  readonly states: SendStates;
}

const fetchUncertainSends = () => callApi<UncertainSends>('GET', inspectorPath('sends?state=uncertain'));

/** Loads how many requests are in each state; afterwards the inspector's feed reports each change. */
export const loadSendStates = async (): Promise<void> => {
  const result = await fetchUncertainSends();
  if (result.ok) store.set({ sendStates: result.value.states });
};

/** Returns the only request whose outcome is unknown; undefined if there is none or more than one. */
export const fetchOnlyUncertainSend = async (): Promise<SendSummary | undefined> => {
  const result = await fetchUncertainSends();
  return result.ok && result.value.sends.length === 1 ? result.value.sends[0] : undefined;
};
