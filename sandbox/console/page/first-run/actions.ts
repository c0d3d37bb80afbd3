import { hasOpenWindow } from '../phone/open-windows.ts';
import { addUser } from '../state/add-user.ts';
import { callApi, userPath } from '../state/api.ts';
import { serviceTime, store } from '../state/console-state.ts';
import { navigate, selectUnlessMoved, selectUser } from '../state/navigate.ts';
import type { Route } from '../state/route.ts';
import { createSampleTemplate, SAMPLE_TEMPLATE, variablesOf } from '../state/templates.ts';
import { AGENT_ACTIONS, addAgentUser } from './agent-actions.ts';
import { firstRun, openChecklist, recordItem } from './first-run-state.ts';
import { type Action, nameOf, type Outcome, openWindow, type Say, send, userOf, write } from './moves.ts';
import { type Item, isAgentItem } from './progress.ts';
import { failed, untilDelivered } from './waiting.ts';

/** Who writes if there is no user yet. */
const SAMPLE_USER = { contact: '+5491155550100', name: 'Ana Torres' };

const CLOSING_SECONDS = 25 * 3_600;

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
    const contact = isAgentItem(item) ? await addAgentUser(item) : await chooseUser(item);
    if (contact === undefined) return failed('The user could not be added.');
    const outcome = await ACTIONS[item](contact, say);
    if (outcome.ok && isAgentItem(item)) recordItem(item, { contact, selection: outcome.value });
    return outcome;
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
    if (outcome.ok && before?.selection !== undefined && outcome.value !== undefined) {
      selectUnlessMoved(before, outcome.value);
    }
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

const reply = async (contact: string, say: Say): Outcome => {
  const window = await openWindow(contact, say);
  if (!window.ok) return window;
  say('Parley is sending the reply from the send queue…');
  return send(contact, { messageText: 'It arrives _today_.' }, { state: 'accepted' });
};

const refuse = async (contact: string, say: Say): Outcome => {
  const user = userOf(contact);
  if (user !== undefined && hasOpenWindow(user, serviceTime())) {
    say('Advancing the clock by 25 hours…');
    const moved = await callApi('POST', '/sandbox/clock', { advanceSeconds: CLOSING_SECONDS });
    if (!moved.ok) return moved;
  }
  say('Sending free-form text after the window has closed…');
  return send(contact, { messageText: 'Are you still there?' }, { state: 'refused' });
};

const sendTemplate = async (contact: string, say: Say): Outcome => {
  say(`Submitting and approving the template ${SAMPLE_TEMPLATE.name}…`);
  const name = await createSampleTemplate();
  if (name === undefined) return failed('The template was not approved.');
  say('Parley is sending the template…');
  const rule = store.get().rules.find((one) => one.name === name);
  const [firstName = ''] = nameOf(contact).split(' ');
  const params = Object.fromEntries(variablesOf(rule?.text ?? '').map((variable) => [variable, firstName]));
  return send(contact, { ruleNameOrId: name, params, reason: rule?.category }, { state: 'accepted' });
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
