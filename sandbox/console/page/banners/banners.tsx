import { useConsole } from '../state/console-state.ts';
import { Banner } from './banner.tsx';
import { CircuitBreakerBanner } from './circuit-breaker-banner.tsx';
import { DeadLettersBanner, UncertainBanner } from './review-banners.tsx';
import { StoppedBanner } from './stopped-banner.tsx';
import { WindowBanner } from './window-banner.tsx';

/**
 * What needs attention now. In the page's flow, without height when empty. The element always exists, because screen
 * readers announce only what is added to an existing one.
 */
export const Banners = () => {
  const connection = useConsole((state) => state.connection);
  return (
    <div class="banners" role="status" aria-atomic="false">
      {connection === 'lost' ? (
        // What the other banners say may no longer be true, and their actions would fail.
        <Banner
          tone="error"
          sentence="The sandbox is not responding. What you see may be out of date. The console reconnects on its own."
        />
      ) : (
        <>
          <CircuitBreakerBanner />
          <StoppedBanner />
          <UncertainBanner />
          <DeadLettersBanner />
          <WindowBanner />
        </>
      )}
    </div>
  );
};
