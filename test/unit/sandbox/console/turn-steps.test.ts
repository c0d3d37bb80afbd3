import { describe, expect, it } from 'vitest';
import { timelineSteps } from '../../../../sandbox/console/page/activity/timeline-steps.ts';
import type { Trace } from '../../../../sandbox/console/page/state/api.ts';
import { AT, inbound, traceOf } from './page-data.ts';

const LATER = '2026-01-31T10:00:08.000Z';
const MESSAGE = { createdAt: AT, statuses: [] };

const stepsOf = (found: Partial<Trace>) => {
  const message = inbound({ id: 'm2' });
  const event = { _id_: 'm2', FROM: '+5491155550000' };
  const deliveries = [{ messageId: 'event', attempt: 1, status: 200, at: AT, event }];
  const selection = { kind: 'message', id: 'm2' } as const;
  const trace = traceOf({ message: MESSAGE, ...found });
  return timelineSteps({ selection, message, deliveries, expired: [], calls: [], trace }).map(({ step }) => step);
};

const openTurn = (...messageIds: string[]) => ({ turn: { messageIds } });
const ended = (...messageIds: string[]) => ({
  at: LATER,
  type: 'TurnEnded',
  detail: { id: 'event-1', at: LATER, messages: messageIds.map((messageId) => ({ messageId, at: AT })) },
});

describe('the timeline of a message in a turn', () => {
  it('shows the turn while it is open', () => {
    const steps = stepsOf({ ...openTurn('m1', 'm2'), busEvents: [] });

    expect(steps.map(({ title }) => title)).toEqual([
      'User sent a message',
      'Webhook attempt 1: 200',
      'Message stored',
      'Added to a turn',
    ]);
    expect(steps[3]?.detail).toMatch(/^The turn has 2 messages so far\./);
  });

  it('shows which message of the turn it is, and the event, once the turn has ended', () => {
    const trace = { ...openTurn('m4'), busEvents: [ended('m1', 'm2', 'm3')] };

    const [added, end] = stepsOf(trace).slice(3);

    expect(added).toMatchObject({ title: 'Added to a turn', detail: 'The message is number 2 of 3.', bodies: [] });
    expect(end).toMatchObject({ title: 'Turn ended', at: LATER, bodies: [{ name: 'Event' }] });
    expect(end?.detail).toContain('TurnEnded was published with 3 messages');
  });

  it.each([
    ['without turns', {}],
    ['with an open turn that the message is not in', openTurn('m3')],
  ])('shows no turn %s', (_, trace) => {
    expect(stepsOf(trace).map(({ title }) => title)).not.toContain('Added to a turn');
  });
});
