import { hasOpenWindow } from '../phone/open-windows.ts';
import { addUser } from '../state/add-user.ts';
import { type ApiResult, callApi, type Message, type UserRow, userPath } from '../state/api.ts';
import { serviceTime, store } from '../state/console-state.ts';
import { enqueueRequest, type RequestContent } from '../state/enqueue.ts';
import { navigate, selectUnlessMoved, selectUser } from '../state/navigate.ts';
import type { Route, Selection } from '../state/route.ts';
import { createSampleTemplate, SAMPLE_TEMPLATE, variablesOf } from '../state/templates.ts';
import { firstRun, openChecklist } from './first-run-state.ts';
import type { Item } from './progress.ts';
import { failed, untilDelivered, untilSent, untilStored } from './waiting.ts';

/** Who writes if there is no user yet. */
const SAMPLE_USER = { contact: '+5491155550100', name: 'Ana Torres' };

const QUESTION = 'Where is my *parcel*?';
const CLOSING_SECONDS = 25 * 3_600;

/** Reports progress. */
type Say = (running: string) => void;

/** What an action created, or why it failed. */
type Outcome = Promise<ApiResult<Selection>>;

/** Plays a question, the reply, and its read receipt. Without Parley, nobody replies. */
export const playSampleConversation = (): Promise<void> =>
  run(async (say) => {
    if (!(await addUser(SAMPLE_USER.contact, { name: SAMPLE_USER.name })))
      return failed('The user could not be added.');
    const wrote = await write(SAMPLE_USER.contact, say);
    if (!wrote.ok || !store.get().hasInspector) return wrote;
    const replied = await reply(SAMPLE_USER.contact, say);
    return replied.ok ? read(SAMPLE_USER.contact, say) : replied;
  });

/** Does what an item of the checklist asks for. */
export const doItem = (item: Item): Promise<void> =>
  run(async (say) => {
    const contact = await chooseUser(item);
    return contact === undefined ? failed('The user could not be added.') : ACTIONS[item](contact, say);
  });

const run = async (action: (say: Say) => Outcome): Promise<void> => {
  if (firstRun.get().running !== undefined) return;
  firstRun.set({ running: 'Starting…', failure: undefined });
  // What is shown once the action has selected its user.
  let before: Route | undefined;
  const say: Say = (running) => {
    before ??= store.get().route;
    firstRun.set({ running });
  };
  try {
    const outcome = await action(say);
    firstRun.set({ failure: outcome.ok ? undefined : outcome.error });
    // The checklist stays open. A timeline gives way to that of the action's result.
    if (outcome.ok && before?.selection !== undefined) selectUnlessMoved(before, outcome.value);
  } finally {
    firstRun.set({ running: undefined });
  }
};

/** Selects the user for an item: the selected one if possible, otherwise the one who wrote. */
const chooseUser = async (item: Item): Promise<string | undefined> => {
  const { route, users } = store.get();
  const selected = route.user === undefined ? undefined : users.byContact.get(route.user);
  if (selected !== undefined && (item === 'wrote' || selected.windows.length > 0)) return selected.contact;
  const known = item === 'read' ? firstRun.get().progress.templated : firstRun.get().progress.wrote;
  if (known?.contact !== undefined) {
    selectUser(known.contact);
    return known.contact;
  }
  return (await addUser(SAMPLE_USER.contact, { name: SAMPLE_USER.name })) ? SAMPLE_USER.contact : undefined;
};

const write = async (contact: string, say: Say): Outcome => {
  say(`Sending a message from ${nameOf(contact)}…`);
  const wrote = await callApi<{ _id_: string }>('POST', `${userPath(contact)}/messages`, { text: QUESTION });
  if (!wrote.ok) return wrote;
  const selection = { kind: 'message', id: wrote.value._id_ } as const;
  if (!store.get().hasInspector) return { ok: true, value: selection };
  say('Parley is verifying the webhook event and storing the message…');
  const stored = await untilStored(wrote.value._id_);
  return stored.ok ? { ok: true, value: selection } : stored;
};

const reply = async (contact: string, say: Say): Outcome => {
  const window = await openWindow(contact, say);
  if (!window.ok) return window;
  say('Parley is sending the reply from the send queue…');
  return send(contact, { messageText: 'It arrives _today_.' }, 'accepted');
};

/** Parley decides by its table, so the user's message must be stored first. */
const openWindow = async (contact: string, say: Say): Promise<ApiResult<unknown>> => {
  const user = userOf(contact);
  if (user === undefined || !hasOpenWindow(user, serviceTime())) return write(contact, say);
  const page = await callApi<{ messages: readonly Message[] }>('GET', `${userPath(contact)}/conversation?limit=50`);
  if (!page.ok) return page;
  const latest = page.value.messages.findLast(({ direction }) => direction === 'in');
  return latest === undefined ? write(contact, say) : untilStored(latest.id);
};

const refuse = async (contact: string, say: Say): Outcome => {
  const user = userOf(contact);
  if (user !== undefined && hasOpenWindow(user, serviceTime())) {
    say('Advancing the clock by 25 hours…');
    const moved = await callApi('POST', '/sandbox/clock', { advanceSeconds: CLOSING_SECONDS });
    if (!moved.ok) return moved;
  }
  say('Sending free-form text after the window has closed…');
  return send(contact, { messageText: 'Are you still there?' }, 'refused');
};

const sendTemplate = async (contact: string, say: Say): Outcome => {
  say(`Submitting and approving the template ${SAMPLE_TEMPLATE.name}…`);
  const name = await createSampleTemplate();
  if (name === undefined) return failed('The template was not approved.');
  say('Parley is sending the template…');
  const rule = store.get().rules.find((one) => one.name === name);
  const [firstName = ''] = nameOf(contact).split(' ');
  const params = Object.fromEntries(variablesOf(rule?.text ?? '').map((variable) => [variable, firstName]));
  return send(contact, { ruleNameOrId: name, params, reason: rule?.category }, 'accepted');
};

const read = async (contact: string, say: Say): Outcome => {
  const user = userOf(contact);
  if (user?.device === 'off')
    return failed(`${nameOf(contact)}'s device is off. Turn on "Device on" in the User card.`);
  if (user?.readReceipts === false) {
    return failed(`${nameOf(contact)}'s read receipts are off. Turn on "Read receipts" in the User card.`);
  }
  say("Delivering the message to the user's device…");
  const delivered = await untilDelivered(contact);
  if (!delivered.ok) return delivered;
  say(`${nameOf(contact)} is reading the message…`);
  const result = await callApi('POST', `${userPath(contact)}/read`);
  return result.ok ? { ok: true, value: { kind: 'message', id: delivered.value } } : result;
};

const ACTIONS: Readonly<Record<Item, (contact: string, say: Say) => Outcome>> = {
  wrote: write,
  replied: reply,
  refused: refuse,
  templated: sendTemplate,
  read,
};

const send = async (contact: string, content: RequestContent, expected: 'accepted' | 'refused'): Outcome => {
  const enqueued = await enqueueRequest(contact, content);
  if (!enqueued.ok) return enqueued;
  const sent = await untilSent(enqueued.value, expected);
  return sent.ok ? { ok: true, value: { kind: 'request', id: enqueued.value } } : sent;
};

const nameOf = (contact: string): string => userOf(contact)?.name || contact;

const userOf = (contact: string): UserRow | undefined => store.get().users.byContact.get(contact);

/** Opens the checklist, on a narrow screen in its pane. */
export const showChecklist = (): void => {
  openChecklist();
  navigate({ selection: undefined }, 'activity');
};
