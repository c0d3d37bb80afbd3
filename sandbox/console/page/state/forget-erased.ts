import { describeEvent } from '../activity/describe-event.ts';
import { firstRun } from '../first-run/first-run-state.ts';
import { type ContactStatus, callApi, encodeText, inspectorPath } from './api.ts';
import { showNotice, store } from './console-state.ts';
import { isContactOf } from './contact-item.ts';
import { draft } from './draft.ts';
import { erasedContacts } from './erased-contacts.ts';
import { isSameContact } from './find-user.ts';
import { replaceRoute } from './navigate.ts';
import { forgetTimelines } from './timeline.ts';

/** Forgets the users whom Parley knew by a contact, and has erased. Parley is asked, because keys are not addresses. */
export const forgetIfErased = async (contactKey: string): Promise<void> => {
  const { users } = store.get();
  for (const { contact } of [...users.byContact.values()].filter((user) => isContactOf(contactKey, user.contact))) {
    const path = inspectorPath(`contacts/${encodeText(contact)}`);
    const result = await callApi<{ contact: ContactStatus | null }>('GET', path);
    if (result.ok && result.value.contact === null) forgetUser(contact);
  }
};

/** Forgets the user of an erased request. Parley has no contact of a user who never wrote. */
export const forgetOwnerOf = (erased: { readonly requestId: string; readonly messageId?: string }): void => {
  const { route, requests, conversation, eventLog } = store.get();
  const isListed = route.tab === 'user' && requests?.sends.some(({ requestId }) => requestId === erased.requestId);
  const isOnPhone = conversation.messages.some(({ id }) => id === erased.messageId);
  const logged = eventLog.find((entry) => 'message' in entry && entry.message.id === erased.messageId);
  const owner = isListed || isOnPhone ? route.user : logged && describeEvent(logged).contact;
  if (owner !== undefined) forgetUser(owner);
};

/** Removes everything about a user from the page. The chat service keeps its copy: entering the number shows it again. */
const forgetUser = (user: string): void => {
  const { users, eventLog, route, requests } = store.get();
  const isAboutUser = (contact = '') => isSameContact(contact, user);
  erasedContacts.add(user);
  users.byContact.delete(user);
  forgetTimelines();
  draft.set({ since: { contact: undefined, value: '' } });
  const { progress } = firstRun.get();
  firstRun.set({
    progress: Object.fromEntries(
      Object.entries(progress).map(([item, { contact, ...evidence }]) => [
        item,
        isAboutUser(contact) ? { at: evidence.at, contact: undefined, selection: undefined } : { contact, ...evidence },
      ]),
    ),
  });
  store.set({
    users: { byContact: users.byContact },
    eventLog: eventLog.filter((entry) => !isAboutUser(describeEvent(entry).contact)),
    requests: requests && {
      ...requests,
      sends: requests.sends.filter(({ platformContactId }) => !isAboutUser(platformContactId)),
    },
  });
  if (route.user !== user) return;
  replaceRoute({ user: undefined, selection: undefined });
  showNotice(
    'Parley has erased this user. The chat service keeps its own copy: to see it, enter the number above the phone.',
  );
};
