import { hasOpenWindow } from '../phone/open-windows.ts';
import { addUser } from '../state/add-user.ts';
import { userPath } from '../state/api.ts';
import { serviceTime, store } from '../state/console-state.ts';
import { navigate, selectUnlessMoved, selectUser } from '../state/navigate.ts';
import type { Route } from '../state/route.ts';
import { createSampleTemplate, SAMPLE_TEMPLATE, variablesOf } from '../state/templates.ts';
import { AGENT_ACTIONS, agentUser } from './agent-actions.ts';
import { firstRun, openChecklist, recordItem } from './first-run-state.ts';
import { type Action, nameOf, openWindow, type Say, send, userOf, write } from './moves.ts';
import { type Item, isAgentItem } from './progress.ts';
import { ActionError, call, untilDelivered } from './waiting.ts';

/** Who writes if there is no user yet. */
const SAMPLE_USER = { contact: '+5491155550100', name: 'Ana Torres' };

const CLOSING_SECONDS = 25 * 3_600;

/** Plays a question, the reply, and its read receipt. Without Parley, nobody replies. */
export const playSampleConversation = (): Promise<void> =>
  run(async (say) => {
    const contact = await add(SAMPLE_USER);
    const wrote = await write(contact, say);
    if (!store.get().hasInspector) return wrote;
    await reply(contact, say);
    return read(contact, say);
  });

/** Does what an item of the checklist asks for. */
export const doItem = (item: Item): Promise<void> =>
  run(async (say) => {
    const contact = isAgentItem(item) ? await add(agentUser(item)) : await chooseUser(item);
    const selection = await ACTIONS[item](contact, say);
    if (isAgentItem(item)) recordItem(item, { contact, selection });
    return selection;
  });

const run = async (action: (say: Say) => ReturnType<Action>): Promise<void> => {
  if (firstRun.get().running !== undefined) return;
  firstRun.set({ running: 'Starting…', failure: undefined });
  // What is shown once the action has selected its user.
  let before: Route | undefined;
  const say: Say = (running) => {
    before ??= store.get().route;
    firstRun.set({ running });
  };
  try {
    const selection = await action(say);
    // The checklist stays open. A timeline gives way to that of the action's result.
    if (before?.selection !== undefined && selection !== undefined) selectUnlessMoved(before, selection);
  } catch (error) {
    if (!(error instanceof ActionError)) throw error;
    firstRun.set({ failure: error.message });
  } finally {
    firstRun.set({ running: undefined });
  }
};

/** Selects the user for an item: the selected one if possible, otherwise the one who wrote. */
const chooseUser = async (item: Item): Promise<string> => {
  const { route, users } = store.get();
  const selected = route.user === undefined ? undefined : users.byContact.get(route.user);
  if (selected !== undefined && (item === 'wrote' || selected.windows.length > 0)) return selected.contact;
  const known = item === 'read' ? firstRun.get().progress.templated : firstRun.get().progress.wrote;
  if (known?.contact !== undefined) {
    selectUser(known.contact);
    return known.contact;
  }
  return add(SAMPLE_USER);
};

/** Adds and selects a user. Returns the address. */
const add = async ({ contact, name }: typeof SAMPLE_USER): Promise<string> => {
  if (await addUser(contact, { name })) return contact;
  throw new ActionError('The user could not be added.');
};

const reply: Action = async (contact, say) => {
  await openWindow(contact, say);
  say('Parley is sending the reply from the send queue…');
  return send(contact, { messageText: 'It arrives _today_.' }, { state: 'accepted' });
};

const refuse: Action = async (contact, say) => {
  const user = userOf(contact);
  if (user !== undefined && hasOpenWindow(user, serviceTime())) {
    say('Advancing the clock by 25 hours…');
    await call('POST', '/sandbox/clock', { advanceSeconds: CLOSING_SECONDS });
  }
  say('Sending free-form text after the window has closed…');
  return send(contact, { messageText: 'Are you still there?' }, { state: 'refused' });
};

const sendTemplate: Action = async (contact, say) => {
  say(`Submitting and approving the template ${SAMPLE_TEMPLATE.name}…`);
  const name = await createSampleTemplate();
  if (name === undefined) throw new ActionError('The template was not approved.');
  say('Parley is sending the template…');
  const rule = store.get().rules.find((one) => one.name === name);
  const [firstName = ''] = nameOf(contact).split(' ');
  const params = Object.fromEntries(variablesOf(rule?.text ?? '').map((variable) => [variable, firstName]));
  return send(contact, { ruleNameOrId: name, params, reason: rule?.category }, { state: 'accepted' });
};

const read: Action = async (contact, say) => {
  const user = userOf(contact);
  if (user?.device === 'off') {
    throw new ActionError(`${nameOf(contact)}'s device is off. Turn on "Device on" in the Phone card.`);
  }
  if (user?.readReceipts === false) {
    throw new ActionError(`${nameOf(contact)}'s read receipts are off. Turn on "Read receipts" in the Phone card.`);
  }
  say("Delivering the message to the user's device…");
  const id = await untilDelivered(contact);
  say(`${nameOf(contact)} is reading the message…`);
  await call('POST', `${userPath(contact)}/read`);
  return { kind: 'message', id };
};

const ACTIONS: Readonly<Record<Item, Action>> = {
  ...AGENT_ACTIONS,
  wrote: (contact, say) => write(contact, say),
  replied: reply,
  refused: refuse,
  templated: sendTemplate,
  read,
};

/** Opens the checklist, on a narrow screen in its pane. */
export const showChecklist = (): void => {
  openChecklist();
  navigate({ selection: undefined }, 'activity');
};
