import { useEffect } from 'preact/hooks';
import { store } from './state/console-state.ts';
import { useStore } from './state/store.ts';

const SHOWN_MS = 6_000;

/** What went well or wrong last, for a while; what went wrong stays until it is put away. */
export const Notice = () => {
  const shown = useStore(store, (state) => state.notice);
  useEffect(() => {
    if (shown === undefined || shown.isBad) return;
    const timer = setTimeout(() => store.set({ notice: undefined }), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  return (
    <div class="notice" role="status" aria-live="polite">
      {shown !== undefined && (
        <p class={shown.isBad ? 'bad' : 'good'}>
          {shown.text}
          <button type="button" onClick={() => store.set({ notice: undefined })}>
            Dismiss
          </button>
        </p>
      )}
    </div>
  );
};
