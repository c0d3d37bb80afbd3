import { Card } from '../parts/card.tsx';
import { notice, store } from '../state/console-state.ts';
import { ask } from '../state/service.ts';
import { useStore } from '../state/store.ts';

/** The carrier's memory: what it gave up, and what it can bring again. */
export const CarrierCard = () => {
  const expired = useStore(store, (state) => state.expired);
  return (
    <Card title="Carrier" note={expired === 0 ? 'nothing was dropped' : `${expired} dropped after seven days`}>
      <div class="row wrap">
        <button type="button" onClick={() => void replay()}>
          Replay what is retained
        </button>
        <button type="button" onClick={() => void rotate()}>
          Rotate the signing key
        </button>
      </div>
    </Card>
  );
};

const replay = async (): Promise<void> => {
  const asked = await ask<{ replayed: number }>('POST', '/sandbox/replay', {});
  notice(asked.ok ? `${asked.value.replayed} events are delivered again.` : asked.why, !asked.ok);
};

const rotate = async (): Promise<void> => {
  const asked = await ask<{ kid: string }>('POST', '/sandbox/carrier/rotate-keys');
  notice(asked.ok ? `Deliveries are signed by the key ${asked.value.kid}.` : asked.why, !asked.ok);
};
