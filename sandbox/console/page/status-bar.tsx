import { useEffect } from 'preact/hooks';
import { store, useConsole } from './state/console-state.ts';

const NOTICE_MS = 6_000;

const CONNECTIONS = { connecting: 'Connecting…', live: 'Live', lost: 'Connection lost. Reconnecting…' };

/** The outcome of the last action, and the connection. In the page's flow, so that it covers nothing. */
export const StatusBar = () => {
  const connection = useConsole((state) => state.connection);
  const hasInspector = useConsole((state) => state.hasInspector);
  return (
    <footer class="status-bar">
      <Notice />
      <p class="mode">{hasInspector ? 'Sandbox and local stack' : 'Sandbox only'}</p>
      <p class={`connection ${connection}`} role="status">
        {CONNECTIONS[connection]}
      </p>
    </footer>
  );
};

/** Errors stay until they are dismissed. */
const Notice = () => {
  const notice = useConsole((state) => state.notice);
  useEffect(() => {
    if (notice === undefined || notice.isError) return;
    const timer = setTimeout(() => store.set({ notice: undefined }), NOTICE_MS);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div class={`notice${notice?.isError ? ' error' : ''}`} role="status" aria-live="polite">
      {notice !== undefined && (
        <>
          <p>{notice.text}</p>
          <button type="button" onClick={() => store.set({ notice: undefined })}>
            Dismiss
          </button>
        </>
      )}
    </div>
  );
};
