import { describe, expect, it } from 'vitest';
import { describeSend } from '../../../../cli/commands/sends.ts';

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

  it('leaves out a missing outcome and a missing message ID', () => {
    const refused = { ...SEND, state: 'refused' as const, code: 'WINDOW_CLOSED', decision: 'The window is closed.' };

    expect(describeSend(refused)).toEqual(['order-17: refused (WINDOW_CLOSED)', '  decision: The window is closed.']);
    expect(describeSend({ ...SEND, endpoint: 'intent/v2' })).toEqual(['order-17: accepted']);
  });
});
