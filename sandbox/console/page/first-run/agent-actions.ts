import { counted } from '../components/counted.ts';
import { focusField, TEXT_FIELD } from '../controls/focus-field.ts';
import { addUser } from '../state/add-user.ts';
import { callApi, encodeText, inspectorPath, type SendList } from '../state/api.ts';
import { store } from '../state/console-state.ts';
import { draft, EMPTY_DRAFT } from '../state/draft.ts';
import { enqueueRequest, newRequestId } from '../state/enqueue.ts';
import type { Selection } from '../state/route.ts';
import { writeAsOperator } from '../state/write-as-operator.ts';
import { type Action, nameOf, openWindow, send, write } from './moves.ts';
import type { AgentItem } from './progress.ts';
import { failed, untilConfirmed, untilContact, untilSent, untilTurnEnds } from './waiting.ts';

/** Each item has its own user, so that an opt-out, a handover, or a turn does not affect the others. */
const BRUNO = { contact: '+5491155550101', name: 'Bruno Diaz' };
const CARLA = { contact: '+5491155550102', name: 'Carla Ruiz' };
const DIEGO = { contact: '+5491155550103', name: 'Diego Paz' };

/** Selects the user of an item. Returns the address, or undefined after an error. */
export const addAgentUser = async (item: AgentItem): Promise<string | undefined> => {
  const { contact, name } = item === 'keyword' ? CARLA : item === 'turn' ? DIEGO : BRUNO;
  return (await addUser(contact, { name })) ? contact : undefined;
};

const condition: Action = async (contact, say) => {
  const asked = await write(contact, say);
  if (!asked.ok) return asked;
  const askedAgain = await write(contact, say, 'And can it come in the morning?');
  if (!askedAgain.ok) return askedAgain;
  say('Sending an answer to the first message…');
  const content = { messageText: 'It arrives _today_.', unless: ['userWroteSince'], since: asked.value.id };
  return send(contact, content, { state: 'refused', code: 'SUPERSEDED' });
};

const turn: Action = async (contact, say) => {
  const { silenceSeconds } = store.get().features?.turns ?? {};
  if (silenceSeconds === undefined) return failed('The stage has no turns.');
  const ids: string[] = [];
  let last: Selection | undefined;
  for (const text of ['Hi!', 'I ordered a lamp.', 'Where is it?']) {
    const wrote = await write(contact, say, text);
    if (!wrote.ok) return wrote;
    last = wrote.value;
    ids.push(last.id);
  }
  say(`${nameOf(contact)} is silent for ${counted(silenceSeconds, 'second')}, by the clock of the run…`);
  const turns = await untilTurnEnds(ids, () => callApi('POST', '/sandbox/clock', { advanceSeconds: silenceSeconds }));
  if (!turns.ok) return turns;
  return turns.value === 1
    ? { ok: true, value: last }
    : failed(`The messages are in ${turns.value} turns, not in one.`);
};

const handover: Action = async (contact, say) => {
  const asked = await write(contact, say, 'I want to talk to a person.');
  if (!asked.ok) return asked;
  say('An operator is writing…');
  const written = await writeAsOperator(contact, 'This is Ana. How can I help you?');
  if (!written.ok) return written;
  const handedOver = await untilContact(contact, (status) => status.handover?.state === 'people');
  if (!handedOver) return failed("Parley did not recognize the operator's message within 15 seconds.");
  say('A bot is answering…');
  const content = { messageText: 'I am a bot.', automated: true };
  const refused = await send(contact, content, { state: 'refused', code: 'HANDED_OVER' });
  if (!refused.ok) return refused;
  say(`Handing ${nameOf(contact)} back…`);
  const handedBack = await callApi('POST', inspectorPath(`contacts/${encodeText(contact)}/handback`));
  return handedBack.ok ? refused : handedBack;
};

const keyword: Action = async (contact, say) => {
  const stopped = await write(contact, say, 'STOP');
  if (!stopped.ok) return stopped;
  const optedOut = await untilContact(contact, ({ consent }) => consent.state === 'opted-out');
  if (!optedOut) return failed('Parley did not record the opt-out within 15 seconds.');
  if (store.get().features?.confirmsOptOuts) {
    say('Parley is sending the confirmation…');
    const confirmed = await untilConfirmed(stopped.value.id);
    if (!confirmed.ok) return confirmed;
  }
  say('Sending a reply…');
  return send(contact, { messageText: 'It arrives _today_.' }, { state: 'refused', code: 'OPTED_OUT' });
};

const BULK_REQUESTS = 20;
/** Slow enough that the code overtakes most bulk requests, which are sent one after another. */
const SLOW_MS = 300;

const lane: Action = async (contact, say) => {
  const window = await openWindow(contact, say);
  if (!window.ok) return window;
  say(`Queueing ${BULK_REQUESTS} bulk requests while the chat service is slow, and then a code…`);
  const slow = { answers: { contact, count: BULK_REQUESTS + 1, delayMs: SLOW_MS } };
  const slowed = await callApi('POST', '/sandbox/faults', slow);
  if (!slowed.ok) return slowed;
  const prefix = `${newRequestId()}-bulk`;
  for (let n = 1; n <= BULK_REQUESTS; n += 1) {
    const queued = await enqueueRequest(contact, { messageText: `News ${n}` }, `${prefix}-${n}`, 'bulk');
    if (!queued.ok) return queued;
  }
  const code = await send(contact, { messageText: 'Your code is *123456*.' }, { state: 'accepted' });
  if (!code.ok) return code;
  const sent = await callApi<SendList>('GET', inspectorPath(`sends?state=accepted&text=${encodeText(prefix)}`));
  if (!sent.ok) return sent;
  if (sent.value.total === BULK_REQUESTS) return failed('The bulk requests were sent before the code.');
  say(`The code has arrived, after ${sent.value.total} of ${BULK_REQUESTS} bulk requests. Waiting for the others…`);
  const last = await untilSent(`${prefix}-${BULK_REQUESTS}`, { state: 'accepted' });
  return last.ok ? code : last;
};

/** Fills in the form, which shows the decision without sending the request. */
const dryRun: Action = async (contact, say) => {
  const asked = await write(contact, say);
  if (!asked.ok) return asked;
  const since = { contact, value: asked.value.id };
  draft.set({ ...EMPTY_DRAFT, unless: ['userWroteSince'], since, notAfter: 'PT10M', isAgentOpen: true });
  focusField(TEXT_FIELD);
  return { ok: true, value: undefined };
};

export const AGENT_ACTIONS: Readonly<Record<AgentItem, Action>> = { condition, turn, handover, keyword, lane, dryRun };
