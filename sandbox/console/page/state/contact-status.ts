import { useEffect } from 'preact/hooks';
import { type ContactStatus, callApi, encodeText, type ItemSubject, inspectorPath } from './api.ts';
import { coalesce } from './coalesce.ts';
import { type ConsoleState, serviceTime, showResult, store, useConsole, useSelectedUser } from './console-state.ts';
import { isAboutUser } from './contact-item.ts';

const REFRESH_DELAY_MS = 100;

/** Loads what Parley has recorded about the selected user. */
const load = async (): Promise<void> => {
  const contact = store.get().route.user;
  if (contact === undefined || !store.get().hasInspector) return;
  const { customerId } = store.get().users.byContact.get(contact) ?? {};
  const query = customerId === undefined ? '' : `?${new URLSearchParams({ customerId })}`;
  const result = await callApi<{ contact: ContactStatus | null }>('GET', `${contactPath(contact)}${query}`);
  // If the API does not respond, the form's preview says so.
  if (store.get().route.user !== contact || !result.ok) return;
  store.set({ contactStatus: { contact, status: result.value.contact ?? undefined } });
};

const refresh = coalesce(load, REFRESH_DELAY_MS);

const contactPath = (contact: string): string => inspectorPath(`contacts/${encodeText(contact)}`);

/** Returns what Parley has recorded about the selected user; undefined until it is loaded, and if nothing is. */
export const useContactStatus = (): ContactStatus | undefined =>
  useConsole(({ contactStatus, route }) =>
    contactStatus !== undefined && contactStatus.contact === route.user ? contactStatus.status : undefined,
  );

/** Keeps the selected user's status up to date, also when a handover ends by itself. Renders nothing. */
export const FollowContact = () => {
  const contact = useConsole((state) => state.route.user);
  const changes = useConsole((state) => state.contactChanges);
  const clockOffsetMs = useConsole((state) => state.clockOffsetMs);
  const until = useContactStatus()?.handover?.until;
  const customerId = useSelectedUser()?.customerId;
  useEffect(refresh, [contact, customerId, changes, clockOffsetMs]);
  useEffect(() => {
    if (until === undefined) return;
    const timer = setTimeout(refresh, Math.max(0, Date.parse(until) - serviceTime()) + 1);
    return () => clearTimeout(timer);
  }, [until, clockOffsetMs]);
  return null;
};

/** The selected user's customer as it was last loaded. */
const loadedCustomer = ({ route, contactStatus }: Pick<ConsoleState, 'route' | 'contactStatus'>) =>
  contactStatus?.contact === route.user ? contactStatus?.status?.customer : undefined;

/** Whether an item of the customer's table may be about the selected user. */
export const isAboutSelectedUser = (subject: ItemSubject): boolean => {
  const { user } = store.get().route;
  return user !== undefined && isAboutUser(subject, user, loadedCustomer(store.get()));
};

/** Hands a user over to people, or back to automated systems. Shows the outcome. */
export const changeHandover = async (contact: string, to: 'people' | 'automated'): Promise<boolean> => {
  const path = `${contactPath(contact)}/${to === 'people' ? 'handover' : 'handback'}`;
  const result = await callApi<{ contact: ContactStatus }>('POST', path);
  if (result.ok && store.get().route.user === contact) {
    const customer = loadedCustomer(store.get());
    store.set({ contactStatus: { contact, status: { ...result.value.contact, customer } } });
  }
  showResult(result, () =>
    to === 'people' ? 'People answer this user now.' : 'Automated systems answer this user now.',
  );
  return result.ok;
};
