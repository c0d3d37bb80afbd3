import { callApi, type FaultList } from './api.ts';
import { coalesce } from './coalesce.ts';
import { showError, showNotice, store } from './console-state.ts';

const REFRESH_DELAY_MS = 200;

/** Faults have no entries in the feed, so those of other clients are found only this way. */
export const loadFaults = async (): Promise<void> => {
  const result = await callApi<FaultList>('GET', '/sandbox/faults');
  if (result.ok) store.set({ faults: result.value });
};

const reload = coalesce(loadFaults, REFRESH_DELAY_MS);

/** Reloads the faults after a call or a delivery may have used one. */
export const refreshFaults = (): void => {
  const { answers, deliveries } = store.get().faults;
  if (answers.length + deliveries.length > 0) reload();
};

/** Removes the pending faults. */
export const clearFaults = async (): Promise<void> => {
  const result = await callApi<FaultList>('DELETE', '/sandbox/faults');
  if (!result.ok) return showError(result.error);
  store.set({ faults: result.value });
  showNotice('All faults cleared.');
};
