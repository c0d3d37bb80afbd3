import { useConsole } from '../state/console-state.ts';
import { FollowContact } from '../state/contact-status.ts';
import { ClockCard } from './clock-card.tsx';
import { CustomerCard } from './customer-card.tsx';
import { DeliveryCard } from './delivery-card.tsx';
import { FaultsCard } from './faults-card.tsx';
import { HandoverCard } from './handover-card.tsx';
import { LinkCard } from './link-card.tsx';
import { SendCard } from './send-card.tsx';
import { SendingCard } from './sending-card.tsx';
import { AccountCard, UserCard } from './settings-cards.tsx';
import { TemplatesCard } from './templates-card.tsx';
import { WindowCard } from './window-card.tsx';

/** Sends messages and changes the sandbox's state. */
export const Controls = () => {
  const hasInspector = useConsole((state) => state.hasInspector);
  return (
    <div class="controls">
      <h2 class="visually-hidden">Controls</h2>
      <WindowCard />
      {hasInspector && <SendCard />}
      {hasInspector && <FollowContact />}
      {hasInspector && <HandoverCard />}
      {hasInspector && <CustomerCard />}
      <ClockCard />
      {hasInspector && <SendingCard />}
      <UserCard />
      <AccountCard />
      <TemplatesCard />
      <FaultsCard />
      <DeliveryCard />
      <LinkCard />
    </div>
  );
};
