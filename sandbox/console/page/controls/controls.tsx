import { store } from '../state/console-state.ts';
import { useStore } from '../state/store.ts';
import { AccountCard } from './account-card.tsx';
import { CarrierCard } from './carrier-card.tsx';
import { ClockCard } from './clock-card.tsx';
import { DeadLettersCard } from './dead-letters-card.tsx';
import { EnqueueCard } from './enqueue-card.tsx';
import { FaultsCard } from './faults-card.tsx';
import { LinkCard } from './link-card.tsx';
import { TemplatesCard } from './templates-card.tsx';
import { UserCard } from './user-card.tsx';
import { WindowCard } from './window-card.tsx';

/** What can be done to the service, the user and the clock. */
export const Controls = () => {
  const hasMachineRoom = useStore(store, (state) => state.hasMachineRoom);
  return (
    <div class="controls">
      <h2 class="visually-hidden">Controls</h2>
      <WindowCard />
      {hasMachineRoom && <EnqueueCard />}
      <ClockCard />
      <UserCard />
      <AccountCard />
      <TemplatesCard />
      <FaultsCard />
      <CarrierCard />
      <LinkCard />
      {hasMachineRoom && <DeadLettersCard />}
    </div>
  );
};
