import { describe, expect, it } from 'vitest';
import { timelineSteps } from '../../../../sandbox/console/page/activity/timeline-steps.ts';
import type { Message, Trace } from '../../../../sandbox/console/page/state/api.ts';
import type { Timeline } from '../../../../sandbox/console/page/state/console-state.ts';
import { AT, inbound, outbound, traceOf } from './page-data.ts';

const USER = '+5491155550000';
const LATER = '2026-01-31T10:05:00.000Z';

const STOP = inbound({ text: 'STOP' });
const BY_OPERATOR = outbound({ endpoint: 'operator-console', status: 'delivered', deliveredAt: AT });

const stepsOf = (message: Message, found: Partial<Trace>, ...busEvents: readonly string[]) => {
  const timeline: Timeline = {
    selection: { kind: 'message', id: 'm1' },
    message,
    deliveries: [{ messageId: 'event', attempt: 1, status: 200, at: AT, event: { _id_: 'm1', FROM: USER } }],
    expired: [],
    calls: [],
    trace: traceOf({ ...found, busEvents: busEvents.map((type) => ({ at: LATER, type, detail: {} })) }),
  };
  return timelineSteps(timeline).map(({ step }) => step);
};

describe('the timeline of a keyword', () => {
  const consent = (at: string, source: string, kind: 'opt-in' | 'opt-out' = 'opt-out', origin = 'user') => ({
    message: { createdAt: AT, statuses: [] },
    contact: { consents: [{ kind, origin, at, source }] },
  });

  it('shows the opt-out that it recorded', () => {
    const steps = stepsOf(STOP, consent(AT, 'keyword STOP'), 'ContactOptedOut');

    expect(steps.map(({ title }) => title)).toEqual([
      'User sent a message',
      'Webhook attempt 1: 200',
      'Message stored',
      'Opt-out recorded',
      'Published ContactOptedOut',
    ]);
    expect(steps[3]?.detail).toMatch(/^The message is the keyword STOP\./);
  });

  it('shows the request that confirms the opt-out, with a link to it', () => {
    const confirmation = { requestId: 'opt-out-1', state: 'accepted', body: '{"confirmsOptOut":true}' };

    const steps = stepsOf(STOP, { ...consent(AT, 'keyword STOP'), confirmation }, 'ContactOptedOut');

    expect(steps.map(({ title }) => title).slice(3)).toEqual([
      'Opt-out recorded',
      'Confirmation queued',
      'Published ContactOptedOut',
    ]);
    expect(steps[4]).toMatchObject({ requestId: 'opt-out-1', bodies: [{ value: '{"confirmsOptOut":true}' }] });
  });

  it('shows the opt-in that it recorded', () => {
    const steps = stepsOf(STOP, consent(AT, 'keyword ALTA', 'opt-in'));

    expect(steps.map(({ title }) => title)).toContain('Opt-in recorded');
  });

  it.each([
    ['of another message', consent(LATER, 'keyword STOP')],
    ['of another source at the same time', consent(AT, 'call center')],
    ['that another system recorded', consent(AT, 'keyword STOP', 'opt-out', 'system')],
  ])('shows no consent %s', (_, recorded) => {
    expect(stepsOf(STOP, recorded).map(({ title }) => title)).not.toContain('Opt-out recorded');
  });
});

describe("the timeline of an operator's message", () => {
  const ECHO = { echo: { createdAt: AT, statuses: [] } };
  const handover = (operatorWroteAt: string, operatorUntil?: string) => ({
    ...ECHO,
    contact: { operatorWroteAt, operatorUntil },
  });

  it('shows its event, its echo, and the handover', () => {
    const steps = stepsOf(BY_OPERATOR, handover(AT, LATER), 'ContactHandedOver');

    expect(steps.map(({ title }) => title)).toEqual([
      'An operator wrote a message',
      "Delivered to the user's device",
      'Webhook attempt 1: 200',
      'Echo stored',
      'Operator recognized',
      'Published ContactHandedOver',
    ]);
    expect(steps[4]?.detail).toMatch(/^This is the operators' latest message\. People answer until /);
  });

  it('says that an operator has written again', () => {
    const recognized = stepsOf(BY_OPERATOR, handover(LATER)).find(({ title }) => title === 'Operator recognized');

    expect(recognized?.detail).toMatch(/^An operator has written again at /);
  });

  it('shows no recognition in a stage that recognizes none', () => {
    expect(stepsOf(BY_OPERATOR, ECHO).map(({ title }) => title)).not.toContain('Operator recognized');
  });
});
