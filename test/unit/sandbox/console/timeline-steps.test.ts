import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timelineSteps } from '../../../../sandbox/console/page/activity/timeline-steps.ts';
import type { Call, Delivery, SendView, Trace } from '../../../../sandbox/console/page/state/api.ts';
import type { Timeline } from '../../../../sandbox/console/page/state/console-state.ts';
import { apiCall, inbound, outbound, traceOf } from './page-data.ts';

const START_MS = Date.parse('2026-01-31T10:00:00.000Z');
const at = (ms: number): string => new Date(START_MS + ms).toISOString();
const USER = '+5491155550000';

const CALL = { endpoint: 'message/v3', body: { platformContactId: USER, messageText: 'Hi' } };
const SEND: SendView = {
  requestId: 'r1',
  state: 'accepted',
  body: JSON.stringify({ requestId: 'r1', platformContactId: USER, messageText: 'Hi' }),
  params: {},
  decision: 'The window is open.',
  claimedAt: at(72),
  claimId: 'claim-1',
  call: CALL,
  since: at(109),
  outcome: 'The chat service accepted it with the id m1.',
  messageId: 'm1',
  attempts: 1,
  traceId: 'trace',
};
const CLAIMED: SendView = { ...SEND, state: 'claimed', since: SEND.claimedAt };
const call = (ms: number, changes: Partial<Call> = {}): Call =>
  apiCall({
    id: `call-${ms}`,
    at: at(ms),
    request: CALL.body,
    traceparent: '00-trace-call-01',
    messageId: 'm1',
    ...changes,
  });
const unavailable = { status: 503, answer: {}, messageId: null };
const delivery = (ms: number, status?: string, changes: Partial<Delivery> = {}): Delivery => ({
  messageId: `event-${status ?? 'message'}`,
  event: { _id_: 'm1', FROM: USER, ...(status && { STATUS: status }) },
  attempt: 1,
  status: 200,
  at: at(ms),
  ...changes,
});
const SENT = outbound({ at: at(95), status: 'read', deliveredAt: at(97), seenAt: at(5_000) });
const DELIVERED = { status: 'delivered', at: at(97) };
const READ = { status: 'read', at: at(5_000) };
const MESSAGE = { statuses: [DELIVERED, READ] };

const timeline = ({
  trace,
  ...changes
}: Partial<Omit<Timeline, 'trace'>> & { trace?: Partial<Trace> } = {}): Timeline => ({
  selection: { kind: 'request', id: 'r1' },
  message: null,
  deliveries: [],
  expired: [],
  calls: [],
  trace: trace && traceOf(trace),
  ...changes,
});
const shown = (given: Timeline): string[] =>
  timelineSteps(given).map(({ step, sinceMs }) => `${step.title}${sinceMs === undefined ? '' : ` +${sinceMs}`}`);
const published = (ms: number, type: string) => ({ at: at(ms), type, detail: { id: `id of ${type}` } });

describe('the timeline of a request', () => {
  it('shows each step at its own time: the delivery before the write of the answer, statuses after their events', () => {
    const read = timeline({
      message: SENT,
      calls: [call(94)],
      deliveries: [delivery(5_010, 'read'), delivery(100, 'delivered')],
      trace: {
        send: SEND,
        message: MESSAGE,
        enqueuedAt: at(0),
        busEvents: [
          published(150, 'SendAccepted'),
          published(160, 'MessageDelivered'),
          published(5_050, 'MessageRead'),
        ],
      },
    });

    expect(shown(read)).toEqual([
      'Request queued',
      'Decision: message/v3 +72',
      'POST message/v3: 200 +22',
      "Delivered to the user's device +3",
      'Webhook attempt 1 (delivered): 200 +3',
      'Status stored: delivered',
      'Send state: accepted +9',
      'Published SendAccepted +41',
      'Published MessageDelivered +10',
      'Read by the user +4840',
      'Webhook attempt 1 (read): 200 +10',
      'Status stored: read',
      'Published MessageRead +40',
    ]);
  });

  it('shows every attempt where it happened, with what it waited for', () => {
    const waiting = { ...SEND, state: 'waiting', since: at(100), outcome: 'HTTP 503' };
    const retried = { ...SEND, claimId: 'claim-2', claimedAt: at(2_000), since: at(2_030), attempts: 2 };
    const steps = timelineSteps(
      timeline({
        calls: [call(2_010), call(90, unavailable)],
        trace: {
          send: retried,
          sendHistory: [CLAIMED, waiting, { ...retried, state: 'claimed', since: at(2_000) }, { ...retried }],
        },
      }),
    ).map(({ step }) => `${step.title}${step.detail ? `: ${step.detail}` : ''}`);

    expect(steps).toEqual([
      'Request queued',
      'Decision: message/v3: The window is open.',
      'POST message/v3: 503',
      'Send state: waiting: HTTP 503.',
      'Decision: message/v3: The window is open.',
      'POST message/v3: 200',
      'Send state: accepted: The chat service accepted it with the id m1. 2 attempts so far.',
    ]);
  });

  it('shows a wait for the circuit breaker as a decision without a call, and not the outcome of an earlier call', () => {
    const failed = { ...SEND, state: 'waiting', since: at(100), outcome: 'HTTP 403, code 101' };
    const held = { ...failed, since: at(5_000), decision: 'The circuit breaker has been open.' };
    const steps = timelineSteps(timeline({ trace: { send: held, sendHistory: [failed, held] } }));

    expect(steps.slice(-2).map(({ step }) => [step.title, step.detail])).toEqual([
      ['Decision: wait', 'The circuit breaker has been open.'],
      ['Send state: waiting', undefined],
    ]);
  });

  it('shows a template that replaces a refused call after that call', () => {
    const template = { endpoint: 'intent/v2', body: {} };
    const replaced = { ...SEND, call: template, decision: 'The service reported the window closed.' };
    const steps = shown(
      timeline({
        calls: [
          call(80, { status: 403, messageId: null }),
          call(90, { path: '/api/v1.0/intent/v2', request: template.body }),
        ],
        trace: {
          send: replaced,
          sendHistory: [CLAIMED, { ...replaced, state: 'claimed', since: SEND.claimedAt }],
        },
      }),
    );

    expect(steps).toEqual([
      'Request queued',
      'Decision: message/v3',
      'POST message/v3: 403 +8',
      'Decision: intent/v2',
      'POST intent/v2: 200 +10',
      'Send state: accepted +19',
    ]);
  });

  it('does not show the time of a status as that of the write that it confirmed', () => {
    const confirmed = { ...SEND, since: undefined };
    const steps = timelineSteps(
      timeline({ calls: [call(94)], deliveries: [delivery(100, 'delivered')], trace: { send: confirmed } }),
    );

    expect(steps.slice(-2).map(({ step }) => [step.title, step.at])).toEqual([
      ['Webhook attempt 1 (delivered): 200', at(100)],
      ['Send state: accepted', undefined],
    ]);
  });

  it.each(['failed', 'error'])('shows after the acceptance that the message failed, with the reason: %s', (status) => {
    const outcome = { outcome: 'It was accepted, and failed.', outcomeDetails: 'Not reachable' };
    const steps = timelineSteps(
      timeline({
        message: outbound({ status: 'failed', code: '131026' }),
        calls: [call(94)],
        deliveries: [delivery(3_010, status)],
        trace: {
          send: { ...SEND, state: 'failed', since: undefined, ...outcome },
          message: { statuses: [{ status: 'failed', at: at(3_000) }], failure: '131026 Not reachable' },
          sendHistory: [CLAIMED, SEND],
          busEvents: [published(3_040, 'MessageFailed'), published(3_045, 'SendFailed')],
        },
      }),
    ).map(({ step }) => [step.title, step.tone, step.detail]);

    expect(steps.slice(-7)).toEqual([
      ['Send state: accepted', 'success', SEND.outcome],
      ['Failed on the platform', 'error', "The platform's code is 131026."],
      [`Webhook attempt 1 (${status}): 200`, 'success', expect.anything()],
      ['Status stored: failed', 'error', expect.stringMatching(/^failedAt is .+\. Failure: 131026 Not reachable\.$/)],
      ['Send state: failed', 'error', 'It was accepted, and failed. Not reachable.'],
      ['Published MessageFailed', 'success', undefined],
      ['Published SendFailed', 'success', undefined],
    ]);
  });

  it('shows that the message failed before its event, even if the event arrives before the answer is recorded', () => {
    const steps = shown(
      timeline({
        message: outbound({ status: 'error' }),
        calls: [call(94)],
        deliveries: [delivery(100, 'error')],
        trace: { send: { ...SEND, state: 'failed', since: undefined }, sendHistory: [SEND] },
      }),
    );

    expect(steps.slice(-5)).toEqual([
      'POST message/v3: 200 +22',
      'Failed on the platform +6',
      'Webhook attempt 1 (error): 200 +0',
      'Send state: accepted +9',
      'Send state: failed',
    ]);
  });

  it('shows a send that a status confirmed and failed after that status', () => {
    const confirmed = { ...SEND, since: undefined };
    const failed = { ...confirmed, state: 'failed', code: '131049' };
    const steps = shown(
      timeline({
        calls: [call(94)],
        deliveries: [delivery(100, 'failed')],
        trace: { send: failed, sendHistory: [CLAIMED, confirmed] },
      }),
    );

    expect(steps.slice(-3)).toEqual([
      'Webhook attempt 1 (failed): 200 +6',
      'Send state: accepted',
      'Send state: failed',
    ]);
  });

  it('shows that the user answered', () => {
    const statuses = [DELIVERED, READ, { status: 'answered', at: at(6_000) }];
    const answered = timeline({ message: SENT, trace: { message: { statuses } } });
    expect(shown(answered).at(-1)).toBe('Status stored: answered');
  });

  it('shows a refusal as a decision and a state, without a call of an earlier attempt', () => {
    const refused = { requestId: 'r1', state: 'refused', code: 'WINDOW_CLOSED', since: at(9) };
    const send = { ...refused, body: '{}', params: {}, attempts: 0 };

    expect(shown(timeline({ trace: { send, enqueuedAt: at(0) } }))).toEqual([
      'Request queued',
      'Decision: WINDOW_CLOSED +9',
      'Send state: refused +0',
    ]);
  });

  it('has only its time in the queue until the table knows it, and nothing if nothing does', () => {
    expect(shown(timeline({ trace: { enqueuedAt: at(0) } }))).toEqual(['Request queued']);
    expect(shown(timeline({ trace: {} }))).toEqual([]);
  });
});

describe("the timeline of a user's message", () => {
  const received = inbound();
  const stored = {
    message: { createdAt: at(0), timeSource: 'event', statuses: [] },
    contact: { lastInboundAt: at(0), lastInboundId: 'm1' },
  };

  it('stores the message after the attempt that was acknowledged', () => {
    const message = timeline({
      selection: { kind: 'message', id: 'm1' },
      message: received,
      deliveries: [delivery(3, undefined, { status: 503 }), delivery(1_003, undefined, { attempt: 2 })],
      trace: { ...stored, busEvents: [published(1_200, 'MessageReceived')] },
    });

    expect(shown(message)).toEqual([
      'User sent a message',
      'Webhook attempt 1: 503 +3',
      'Webhook attempt 2: 200 +1000',
      'Message stored',
      'Conversation window updated',
      'Published MessageReceived +197',
    ]);
    expect(timelineSteps(message)[1]?.step.detail).toBe('The event was not acknowledged.');
  });

  it('shows an edit, its delivery, and every stored version with its event', () => {
    const versions = [
      { modifiedAt: at(0), body: '{"MESSAGE":"Yes"}' },
      { modifiedAt: at(60_000), body: '{"MESSAGE":"No"}' },
    ];
    const message = timeline({
      selection: { kind: 'message', id: 'm1' },
      message: inbound({ edits: [at(60_000)] }),
      deliveries: [delivery(3), delivery(60_003, undefined, { messageId: 'event-edit' })],
      trace: { ...stored, message: { ...stored.message, versions }, busEvents: [published(60_200, 'MessageUpdated')] },
    });

    expect(shown(message)).toEqual([
      'User sent a message',
      'Webhook attempt 1: 200 +3',
      'Message stored',
      'Conversation window updated',
      'User edited the message +59997',
      'Webhook attempt 1: 200 +3',
      'Edit stored',
      'Published MessageUpdated +197',
    ]);
    const edit = timelineSteps(message).find(({ step }) => step.title === 'Edit stored');
    expect(edit?.step.detail).toBe('Parley keeps every version (2 so far). The message shows the latest.');
    expect(edit?.step.bodies.map(({ value }) => value)).toEqual(versions.map(({ body }) => body));
  });

  it('says that delivery is pending, last', () => {
    const pending = timeline({ message: received, trace: { ...stored, busEvents: [published(5, 'MessageReceived')] } });

    expect(shown(pending).at(-1)).toBe('Webhook delivery pending');
  });
});

describe('any timeline', () => {
  it('never runs backwards, and has each call once', () => {
    const ms = fc.nat({ max: 300 });
    const states = ['claimed', 'waiting', 'accepted', 'failed', 'refused', 'uncertain', 'scheduled', 'expired'];
    const state = fc.constantFrom(...states);
    const version = fc.tuple(state, ms, fc.nat({ max: 2 })).map(([name, time, claim]) => ({
      ...SEND,
      state: name,
      since: name === 'failed' ? undefined : at(time),
      claimId: `claim-${claim}`,
    }));
    const calls = fc.uniqueArray(ms, { maxLength: 4 }).map((times) => times.map((time) => call(time, unavailable)));
    const deliveries = fc.array(fc.tuple(ms, fc.constantFrom('delivered', 'read')), { maxLength: 4 });
    fc.assert(
      fc.property(version, fc.array(version, { maxLength: 5 }), calls, deliveries, (send, history, made, statuses) => {
        const steps = timelineSteps(
          timeline({
            message: SENT,
            calls: made,
            deliveries: statuses.map(([time, status]) => delivery(time, status)),
            trace: { send, message: MESSAGE, sendHistory: history, busEvents: [published(100, 'SendAccepted')] },
          }),
        );
        const times = steps.flatMap(({ step }) => step.at ?? []);

        expect(times).toEqual(times.toSorted());
        expect(steps.filter(({ step }) => step.source === 'service')).toHaveLength(made.length);
        expect(steps.filter(({ step }) => step.title.startsWith('Status stored'))).toHaveLength(2);
      }),
    );
  });
});

it('shows an item that is no send, such as one that failed before its first state', () => {
  const item = '{"code":"PROCESSING_FAILED"}';
  const steps = timelineSteps(timeline({ trace: { items: { send: item } } }));

  expect(steps.map(({ step }) => step)).toContainEqual(
    expect.objectContaining({ title: 'Send item that cannot be read', bodies: [{ name: 'Table item', value: item }] }),
  );
});
