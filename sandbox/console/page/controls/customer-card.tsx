import { CopyText } from '../components/copy.tsx';
import { Link } from '../components/link.tsx';
import { formatDateTime } from '../components/time.ts';
import type { CustomerAddress, CustomerStatus, UserRow } from '../state/api.ts';
import { useConsole } from '../state/console-state.ts';
import { isContactOf } from '../state/contact-item.ts';
import { useContactStatus } from '../state/contact-status.ts';
import { findUser } from '../state/find-user.ts';
import { Card } from './card.tsx';
import { ConsentText } from './consent-text.tsx';
import { CustomerMessages } from './customer-messages.tsx';

/** The addresses of the selected user, why they belong together, and the consent at each. */
export const CustomerCard = () => {
  const customer = useContactStatus()?.customer;
  if (customer === undefined) return null;
  const { customerId, isShared, addresses, separated } = customer;
  return (
    <Card title="Addresses" note={noteOf(customer)} open>
      <p class="hint">
        Customer ID <CopyText text={customerId} />
      </p>
      {isShared && (
        <p class="hint">Too many addresses have this ID to be one user, so opt-outs and erasures do not follow it.</p>
      )}
      {addresses.length > 1 && (
        <p class="hint">
          An opt-out or an erasure at one address covers all of them. A window or an opt-in covers only one address.
        </p>
      )}
      <ul class="addresses">
        {addresses.map((address) => (
          <Address key={address.platformContactId} address={address} customerId={customerId} />
        ))}
        {separated.map((platformContactId) => (
          <li key={platformContactId}>
            <AddressLink platformContactId={platformContactId} customerId={customerId} />
            <p class="hint">An operator separated this address from the customer.</p>
          </li>
        ))}
      </ul>
      {addresses.length > 1 && <CustomerMessages key={customerId} customerId={customerId} />}
    </Card>
  );
};

const noteOf = ({ isShared, addresses, separated }: CustomerStatus): string => {
  if (isShared) return 'ID is shared';
  const also = separated.length === 0 ? '' : `, ${separated.length} separated`;
  return `${addresses.length} ${addresses.length === 1 ? 'address' : 'addresses'}${also}`;
};

const Address = ({ address, customerId }: { address: CustomerAddress; customerId: string }) => (
  <li>
    <AddressLink platformContactId={address.platformContactId} customerId={customerId} />
    <p class="hint">{reasonOf(address)}</p>
    <p class="hint">
      Consent: <ConsentText {...address.consent} />
    </p>
  </li>
);

const reasonOf = ({ linkedBy, lastInboundAt }: CustomerAddress): string => {
  if (linkedBy === 'status') return 'Only statuses and echoes of messages to this address had the ID.';
  const at = lastInboundAt === undefined ? '' : ` (${formatDateTime(Date.parse(lastInboundAt))})`;
  return `The latest message from this address${at} had the ID.`;
};

/** Links to the conversation of an address. */
const AddressLink = ({ platformContactId, customerId }: { platformContactId: string; customerId: string }) => {
  const { byContact } = useConsole((state) => state.users);
  const selected = useConsole((state) => state.route.user);
  const contact = userAt(byContact, platformContactId, customerId)?.contact ?? platformContactId;
  return (
    <p class="address">
      <Link to={{ user: contact, selection: undefined }} pane="phone" isCurrent={contact === selected}>
        {contact}
      </Link>
      {contact === selected && <span class="badge">selected</span>}
    </p>
  );
};

/** Finds the user with an address. Of an address from which the user has not written, Parley knows only the key. */
const userAt = (users: ReadonlyMap<string, UserRow>, named: string, customerId: string): UserRow | undefined =>
  findUser(users, named) ??
  [...users.values()].find((user) => user.customerId === customerId && isContactOf(named, user.contact));
