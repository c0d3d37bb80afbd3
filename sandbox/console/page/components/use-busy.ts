import { useRef, useState } from 'preact/hooks';

/**
 * Returns whether an action is running, and a function that runs one. While one is running, it ignores others, so that a
 * double click acts once.
 */
export const useBusy = (): readonly [isBusy: boolean, run: (action: () => unknown) => void] => {
  const [isBusy, setBusy] = useState(false);
  // The state changes only with the next rendering.
  const isRunning = useRef(false);
  const setRunning = (running: boolean) => {
    isRunning.current = running;
    setBusy(running);
  };
  const run = (action: () => unknown) => {
    if (isRunning.current) return;
    const result = action();
    if (!(result instanceof Promise)) return;
    setRunning(true);
    void result.finally(() => setRunning(false));
  };
  return [isBusy, run];
};
