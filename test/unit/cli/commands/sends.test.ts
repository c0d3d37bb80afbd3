import { describe, expect, it } from 'vitest';
import { describeSend } from '../../../../cli/commands/describe-send.ts';
import { describeBacklog, describeForecast } from '../../../../cli/commands/sends.ts';
import { NOW } from '../../../support/builders.ts';

const SEND = { requestId: 'order-17', state: 'accepted' as const, attempts: 1, unknownOutcomes: 0 };

describe('the description of a send', () => {
  it('shows the decision and the outcome separately, then the times in order', () => {
    const lines = describeSend({
      ...SEND,
      decision: 'The user wrote at 12:00, so the window is open.',
      outcome: 'The chat service accepted it with the id m-1.',
      messageId: 'm-1',
      endpoint: 'message/v3',
      acceptedAt: '2026-11-20T12:00:02.000Z',
      claimedAt: '2026-11-20T12:00:01.000Z',
    });

    expect(lines).toEqual([
      'order-17: accepted',
      '  decision: The user wrote at 12:00, so the window is open.',
      '  outcome: The chat service accepted it with the id m-1.',
      '  message m-1 (message/v3)',
      '  2026-11-20T12:00:01.000Z  claimed',
      '  2026-11-20T12:00:02.000Z  accepted',
    ]);
  });

  it('shows the customer of a request, and the address once one was chosen', () => {
    const request = { requestId: 'order-17', customerId: 'customer-1' };

    expect(describeSend({ ...SEND, request })).toContain('  customer customer-1');
    expect(describeSend({ ...SEND, request, platformContactId: '+5491155550001' })).toContain(
      '  customer customer-1, at +5491155550001',
    );
  });

  it('shows why the message of an accepted send failed', () => {
    const lines = describeSend({
      ...SEND,
      state: 'failed',
      code: '131026',
      outcome: 'The chat service accepted it, and the message failed, code 131026.',
      outcomeDetails: 'The user cannot receive the message.',
      acceptedAt: '2026-11-20T12:00:02.000Z',
      failedAt: '2026-11-20T12:03:00.000Z',
    });

    expect(lines).toEqual([
      'order-17: failed (131026)',
      '  outcome: The chat service accepted it, and the message failed, code 131026.',
      '  details: The user cannot receive the message.',
      '  2026-11-20T12:00:02.000Z  accepted',
      '  2026-11-20T12:03:00.000Z  failed',
    ]);
  });

  it('shows the statuses of its message in order', () => {
    const [, ...times] = describeSend({ ...SEND, answeredAt: '2026-11-20T12:00:09.000Z', readAt: NOW });
    expect(times).toEqual([`  ${NOW}  read`, '  2026-11-20T12:00:09.000Z  answered']);
  });

  it('leaves out a missing outcome and a missing message ID', () => {
    const refused = { ...SEND, state: 'refused' as const, code: 'WINDOW_CLOSED', decision: 'The window is closed.' };

    expect(describeSend(refused)).toEqual(['order-17: refused (WINDOW_CLOSED)', '  decision: The window is closed.']);
    expect(describeSend({ ...SEND, endpoint: 'intent/v2' })).toEqual(['order-17: accepted']);
    expect(describeSend({ ...SEND, state: 'uncertain', likelyMessage: { id: 'm-1', createdAt: NOW } })).toEqual([
      'order-17: uncertain',
      `  probably message m-1 of ${NOW}: it alone has this text or template`,
    ]);
  });
});

describe('the description of a forecast', () => {
  const RUNNING = {
    circuitBreaker: { state: 'closed' as const },
    sending: { state: 'running' as const },
    windowMarginSeconds: 30,
  };
  const FORECAST = { contact: '+549', decision: 'free-form' as const, why: 'The window is open.', known: true };

  it('says how the message would be sent, and until when the window is open', () => {
    expect(describeForecast({ ...FORECAST, windowClosesAt: '2026-11-21T11:59:30.000Z' }, RUNNING, NOW)).toEqual([
      '+549: would be sent as a free-form message',
      '  decision: The window is open.',
      '  window: open until 2026-11-21T11:59:30.000Z (in 23 h 59 min), 30 seconds before the chat service closes it',
    ]);
  });

  it('says why it would not be sent, and what it would wait for', () => {
    const refused = { ...FORECAST, decision: 'refused' as const, code: 'WINDOW_CLOSED', why: 'The window is closed.' };
    const waiting = {
      circuitBreaker: { state: 'open' as const, why: 'HTTP 502' },
      sending: { state: 'stopped' as const, stoppedAt: '2026-11-20T11:00:00.000Z' },
      windowMarginSeconds: 30,
    };
    const lines = describeForecast(refused, waiting, NOW);

    expect(lines).toEqual([
      '+549: would be refused (WINDOW_CLOSED)',
      '  decision: The window is closed.',
      '  waits: sending has been stopped since 2026-11-20T11:00:00.000Z',
      '  waits: the circuit breaker is open: HTTP 502',
    ]);
  });

  it.each([
    [{ queue: 1 }, 'about 1 request on the send queue'],
    [{ queue: 0, bulk: 48_210 }, 'about 0 requests on the send queue, and 48210 on the bulk queue'],
    [{ unknown: 'AccessDenied' }, 'unknown: AccessDenied'],
  ])('says how many requests there are before it', (backlog, says) => {
    expect(describeBacklog(backlog)).toEqual([`  backlog: ${says}`]);
  });
});
