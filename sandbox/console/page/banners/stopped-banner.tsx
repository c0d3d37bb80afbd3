import { Button } from '../components/button.tsx';
import { formatTime } from '../components/time.ts';
import { useConsole } from '../state/console-state.ts';
import { resumeSending } from '../state/stage.ts';
import { Banner } from './banner.tsx';

/** An operator stopped sending. */
export const StoppedBanner = () => {
  const sending = useConsole((state) => state.stage?.sending);
  if (sending?.state !== 'stopped') return null;
  const { stoppedAt, note } = sending;
  return (
    <Banner
      tone="pending"
      sentence={`An operator stopped sending${stoppedAt ? ` at ${formatTime(stoppedAt)}` : ''}. Requests are waiting.${note ? ` Note: ${note}` : ''}`}
    >
      <Button onClick={() => resumeSending()}>Resume sending</Button>
    </Banner>
  );
};
