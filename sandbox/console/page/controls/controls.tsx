import { useConsole } from '../state/console-state.ts';
import { FollowContact } from '../state/contact-status.ts';
import { ClockCard } from './clock-card.tsx';
import { CustomerCard } from './customer-card.tsx';
import { DeliveryCard } from './delivery-card.tsx';
import { FaultsCard } from './faults-card.tsx';
import { LinkCard } from './link-card.tsx';
import { OperatorCard } from './operator-card.tsx';
import { SendCard } from './send-card.tsx';
import { SendingCard } from './sending-card.tsx';
import { AccountCard, PhoneCard } from './settings-cards.tsx';
import { TemplatesCard } from './templates-card.tsx';
import { UserCard } from './user-card.tsx';

/** What Parley has recorded and can do, and below it what the chat service has and can do. */
export const Controls = () => {
  const hasInspector = useConsole((state) => state.hasInspector);
  return (
    <div class="controls">
      {hasInspector && (
        <>
          <FollowContact />
          <h2 class="owner">Parley</h2>
          <UserCard />
          <SendCard />
          <CustomerCard />
          <SendingCard />
        </>
      )}
      <h2 class="owner">Chat service (sandbox)</h2>
      {!hasInspector && <UserCard />}
      <ClockCard />
      <PhoneCard />
      <OperatorCard />
      <AccountCard />
      <TemplatesCard />
      <FaultsCard />
      <DeliveryCard />
      <LinkCard />
    </div>
  );
};
