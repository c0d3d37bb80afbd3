import { useEffect, useState } from 'preact/hooks';
import { serviceNow, store } from '../state/console-state.ts';
import { useStore } from '../state/store.ts';

/** The service's time in milliseconds, once a second and whenever the clock is moved. */
export const useClock = (): number => {
  useStore(store, (state) => state.clockOffsetMs);
  const [, tick] = useState({});
  useEffect(() => {
    const timer = setInterval(() => tick({}), 1_000);
    return () => clearInterval(timer);
  }, []);
  return serviceNow();
};
