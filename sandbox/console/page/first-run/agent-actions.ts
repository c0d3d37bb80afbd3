import { counted } from '../components/counted.ts';
import { focusField, TEXT_FIELD } from '../controls/focus-field.ts';
import { encodeText, inspectorPath, type SendList } from '../state/api.ts';
import { store } from '../state/console-state.ts';
import { draft, EMPTY_DRAFT } from '../state/draft.ts';
import { newRequestId } from '../state/enqueue.ts';
import type { Selection } from '../state/route.ts';
import { writeAsOperator } from '../state/write-as-operator.ts';
import { type Action, enqueue, nameOf, openWindow, send, write } from './moves.ts';
import type { AgentItem } from './progress.ts';
import { ActionError, call, untilConfirmed, untilContact, untilSent, untilTurnEnds } from './waiting.ts';

/** Each item has its own user, so that an opt-out, a handover, or a turn does not affect the others. */
const BRUNO = { contact: '+5491155550101', name: 'Bruno Diaz' };
const CARLA = { contact: '+5491155550102', name: 'Carla Ruiz' };
const DIEGO = { contact: '+5491155550103', name: 'Diego Paz' };

/** Returns the user of an item. */
export const agentUser = (item: AgentItem) => (item === 'keyword' ? CARLA : item === 'turn' ? DIEGO : BRUNO);

const condition: Action = async (contact, say) => {
  const asked = await write(contact, say);
  await write(contact, say, 'And can it come in the morning?');
  say('Sending an answer to the first message…');
  const content = { messageText: 'It arrives _today_.', unless: ['userWroteSince'], since: asked.id };
  return send(contact, content, { state: 'refused', code: 'SUPERSEDED' });
};

const turn: Action = async (contact, say) => {
  const { silenceSeconds } = store.get().features?.turns ?? {};
  if (silenceSeconds === undefined) throw new ActionError('The stage has no turns.');
  const written: Selection[] = [];
  for (const text of ['Hi!', 'I ordered a lamp.', 'Where is it?']) written.push(await write(contact, say, text));
  const ids = written.map(({ id }) => id);
  say(`${nameOf(contact)} is silent for ${counted(silenceSeconds, 'second')}, by the clock of the run…`);
  const turns = await untilTurnEnds(ids, () => call('POST', '/sandbox/clock', { advanceSeconds: silenceSeconds }));
  if (turns !== 1) throw new ActionError(`The messages are in ${turns} turns, not in one.`);
  return written.at(-1);
};

const handover: Action = async (contact, say) => {
  await write(contact, say, 'I want to talk to a person.');
  say('An operator is writing…');
  const written = await writeAsOperator(contact, 'This is Ana. How can I help you?');
  if (!written.ok) throw new ActionError(written.error);
  await untilContact(
    contact,
    (status) => status.handover?.state === 'people',
    "Parley did not recognize the operator's message within 15 seconds.",
  );
  say('A bot is answering…');
  const content = { messageText: 'I am a bot.', automated: true };
  const refused = await send(contact, content, { state: 'refused', code: 'HANDED_OVER' });
  say(`Handing ${nameOf(contact)} back…`);
  await call('POST', inspectorPath(`contacts/${encodeText(contact)}/handback`));
  return refused;
};

const keyword: Action = async (contact, say) => {
  const stopped = await write(contact, say, 'STOP');
  const failure = 'Parley did not record the opt-out within 15 seconds.';
  await untilContact(contact, ({ consent }) => consent.state === 'opted-out', failure);
  if (store.get().features?.confirmsOptOuts) {
    say('Parley is sending the confirmation…');
    await untilConfirmed(stopped.id);
  }
  say('Sending a reply…');
  return send(contact, { messageText: 'It arrives _today_.' }, { state: 'refused', code: 'OPTED_OUT' });
};

const BULK_REQUESTS = 20;
/** Slow enough that the code overtakes most bulk requests, which are sent one after another. */
const SLOW_MS = 300;

const lane: Action = async (contact, say) => {
  await openWindow(contact, say);
  say(`Queueing ${BULK_REQUESTS} bulk requests while the chat service is slow, and then a code…`);
  const slow = { answers: { contact, count: BULK_REQUESTS + 1, delayMs: SLOW_MS } };
  await call('POST', '/sandbox/faults', slow);
  const prefix = `${newRequestId()}-bulk`;
  for (let n = 1; n <= BULK_REQUESTS; n += 1) {
    await enqueue(contact, { messageText: `News ${n}` }, `${prefix}-${n}`, 'bulk');
  }
  const code = await send(contact, { messageText: 'Your code is *123456*.' }, { state: 'accepted' });
  const { sends } = await call<SendList>('GET', inspectorPath(`sends?text=${encodeText(prefix)}`));
  const total = sends.filter(({ state }) => state === 'accepted').length;
  if (total === BULK_REQUESTS) throw new ActionError('The bulk requests were sent before the code.');
  say(`The code has arrived, after ${total} of ${BULK_REQUESTS} bulk requests. Waiting for the others…`);
  await untilSent(`${prefix}-${BULK_REQUESTS}`, { state: 'accepted' });
  return code;
};

/** Fills in the form, which shows the decision without sending the request. */
const dryRun: Action = async (contact, say) => {
  const { id } = await write(contact, say);
  const since = { contact, value: id };
  draft.set({ ...EMPTY_DRAFT, unless: ['userWroteSince'], since, notAfter: 'PT10M', isAgentOpen: true });
  focusField(TEXT_FIELD);
  return undefined;
};

export const AGENT_ACTIONS: Readonly<Record<AgentItem, Action>> = { condition, turn, handover, keyword, lane, dryRun };
