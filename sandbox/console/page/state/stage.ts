import { callApi, inspectorPath, type StageStatus } from './api.ts';
import { showError, showNotice, store } from './console-state.ts';

/** Makes the next probe of the circuit breaker due now. */
export const closeCircuitBreaker = (): Promise<boolean> =>
  change('circuit-breaker-closures', {}, ({ circuitBreaker }) =>
    circuitBreaker.state === 'closed'
      ? 'The circuit breaker is closed.'
      : 'The next request is a probe. If the chat service accepts it, the circuit breaker closes.',
  );

/** Returns whether sending is stopped. */
export const stopSending = (note: string): Promise<boolean> =>
  change('stops', { note }, () => 'Parley stops sending within 5 seconds. Requests wait in order.');

export const resumeSending = (): Promise<boolean> =>
  change('resumptions', {}, () => 'Sending resumed. Each waiting request is sent at its next attempt.');

const change = async (path: string, body: unknown, success: (stage: StageStatus) => string): Promise<boolean> => {
  const result = await callApi<StageStatus>('POST', inspectorPath(path), body);
  if (result.ok) {
    store.set({ stage: result.value });
    showNotice(success(result.value));
  } else showError(result.error);
  return result.ok;
};
