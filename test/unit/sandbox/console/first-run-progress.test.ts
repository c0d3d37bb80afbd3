import { describe, expect, it } from 'vitest';
import { isComplete, type Observed, observe } from '../../../../sandbox/console/page/first-run/progress.ts';
import type { FeedEntry, SendSummary } from '../../../../sandbox/console/page/state/api.ts';
import { apiCall, CHANNEL, inbound, outbound, USER, userRow } from './page-data.ts';

const NOTHING: Observed = { users: [], contact: USER, messages: [], sends: [], eventLog: [] };

const aQuestion = (at = '2026-11-21T10:00:00.000Z') => inbound({ id: 'question', at, receivedAt: at });

const anAnswer = (
  endpoint: 'message/v3' | 'intent/v2' | 'operator-console',
  status: 'accepted' | 'read' = 'accepted',
) => outbound({ id: `answer by ${endpoint}`, at: '2026-11-21T11:00:00.000Z', endpoint, status });

const aRefusal = (at = '2026-11-22T12:00:00.000Z'): SendSummary => ({
  requestId: 'refused-1',
  platformContactId: USER,
  state: 'refused',
  code: 'WINDOW_CLOSED',
  at,
});

const WINDOW = {
  chatChannelNumber: CHANNEL,
  lastInboundAt: '2026-11-21T10:00:00.000Z',
  closesAt: '2026-11-22T10:00:00.000Z',
  open: true,
};

const itemsOf = (observed: Partial<Observed>) => Object.keys(observe({}, { ...NOTHING, ...observed })).toSorted();

describe('the progress of the checklist', () => {
  it.each([
    ['a message from the user', [aQuestion()], ['wrote']],
    ['a free-form answer', [anAnswer('message/v3', 'read')], ['replied']],
    ['a template', [anAnswer('intent/v2')], ['templated']],
    ['a template that is read', [anAnswer('intent/v2', 'read')], ['read', 'templated']],
  ])('includes %s, wherever the page has it from', (_, messages, expected) => {
    const eventLog = messages.map(
      (message, id): FeedEntry => ({ id, at: message.at, type: 'status-changed', contact: USER, message }),
    );

    expect(itemsOf({ messages })).toEqual(expected);
    expect(itemsOf({ eventLog })).toEqual(expected);
    expect(itemsOf({ users: messages.map((lastMessage) => userRow({ lastMessage })) })).toEqual(expected);
  });

  it('knows from the conversation window that a user wrote a message that is not loaded', () => {
    expect(observe({}, { ...NOTHING, users: [userRow({ windows: [WINDOW] })] }).wrote).toEqual({
      contact: USER,
      at: '2026-11-21T10:00:00.000Z',
      selection: undefined,
    });
  });

  it('includes a refusal, with its request', () => {
    expect(observe({}, { ...NOTHING, messages: [aQuestion()], sends: [aRefusal()] }).refused).toEqual({
      contact: USER,
      at: '2026-11-22T12:00:00.000Z',
      selection: { kind: 'request', id: 'refused-1' },
    });
  });

  it.each([
    ['SUPERSEDED', 'condition'],
    ['HANDED_OVER', 'handover'],
    ['OPTED_OUT', 'keyword'],
  ])('includes what is there for bots and agents by the refusal %s', (code, item) => {
    expect(itemsOf({ messages: [aQuestion()], sends: [{ ...aRefusal(), code }] })).toEqual([item, 'wrote'].toSorted());
  });

  it('does not count what an operator wrote as an answer', () => {
    expect(itemsOf({ messages: [anAnswer('operator-console')] })).toEqual([]);
  });

  it('ignores a refusal from before a reset, and one for another reason', () => {
    const messages = [aQuestion('2026-11-23T10:00:00.000Z')];

    expect(itemsOf({ messages, sends: [aRefusal()] })).toEqual(['wrote']);
    expect(itemsOf({ sends: [aRefusal()] })).toEqual([]);
    expect(itemsOf({ messages: [aQuestion()], sends: [{ ...aRefusal(), code: 'NO_OPT_IN' }] })).toEqual(['wrote']);
  });

  it('ignores the entries of the event log from before a reset', () => {
    const wrote = (id: number): FeedEntry => ({ id, at: '', type: 'user-wrote', contact: USER, message: aQuestion() });
    const reset: FeedEntry = { id: 2, at: '', type: 'reset' };

    expect(itemsOf({ eventLog: [reset, wrote(1)] })).toEqual([]);
    expect(itemsOf({ eventLog: [wrote(3), reset, wrote(1)] })).toEqual(['wrote']);
  });

  it("includes the chat service's own refusal, where Parley does not run", () => {
    const call = (code: number): FeedEntry => ({
      id: code,
      at: '2026-11-22T12:00:00.000Z',
      type: 'call',
      call: apiCall({ at: '2026-11-22T12:00:00.000Z', status: 403, answer: { error: { code, message: 'Refused' } } }),
    });

    expect(itemsOf({ messages: [aQuestion()], eventLog: [call(201)] })).toEqual(['refused', 'wrote']);
    expect(itemsOf({ messages: [aQuestion()], eventLog: [call(101)] })).toEqual(['wrote']);
  });

  it('keeps what was found first, and is the same object while nothing is new', () => {
    const first = observe({}, { ...NOTHING, messages: [aQuestion()] });

    expect(observe(first, { ...NOTHING, messages: [{ ...aQuestion(), id: 'later' }] })).toBe(first);
    const all = observe(first, {
      ...NOTHING,
      messages: [anAnswer('message/v3'), anAnswer('intent/v2', 'read')],
      sends: [aRefusal()],
    });
    expect([isComplete(first), isComplete(all)]).toEqual([false, true]);
    expect(all.wrote).toBe(first.wrote);
  });
});
