import { Button } from '../components/button.tsx';
import { counted } from '../components/counted.ts';
import { callApi } from '../state/api.ts';
import { showResult, useConsole } from '../state/console-state.ts';
import { Card } from './card.tsx';

/** The sandbox's side of webhook delivery: expired events, replay, and the signing key. */
export const DeliveryCard = () => {
  const expiredCount = useConsole((state) => state.expiredCount);
  return (
    <Card
      title="Webhook delivery"
      note={expiredCount === 0 ? 'No expired events' : counted(expiredCount, 'expired event')}
    >
      <div class="row wrap">
        <Button onClick={() => replay()}>Replay retained events</Button>
        <Button onClick={() => rotateSigningKey()}>Rotate signing key</Button>
      </div>
    </Card>
  );
};

const replay = async (): Promise<void> => {
  const result = await callApi<{ replayed: number }>('POST', '/sandbox/replay', {});
  showResult(result, ({ replayed }) => `Replaying ${counted(replayed, 'event')}.`);
};

const rotateSigningKey = async (): Promise<void> => {
  const result = await callApi<{ kid: string }>('POST', '/sandbox/carrier/rotate-keys');
  showResult(result, ({ kid }) => `Signing key rotated. New key ID: ${kid}`);
};
