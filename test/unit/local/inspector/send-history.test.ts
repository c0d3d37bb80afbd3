import { describe, expect, it } from 'vitest';
import type { SendRecord } from '../../../../lambdas/domain/send.ts';
import { createSendHistory } from '../../../../local/inspector/send-history.ts';

const CLAIMED: SendRecord = {
  requestId: '1',
  state: 'claimed',
  claimedAt: '2026-01-31T10:00:00.100Z',
  decision: 'The window is open.',
  call: { endpoint: 'message/v3', body: {} },
  claimId: 'claim-1',
  attempts: 1,
  unknownOutcomes: 0,
  body: '{}',
};
const WAITING: SendRecord = {
  ...CLAIMED,
  state: 'waiting',
  waitingAt: '2026-01-31T10:00:00.200Z',
  outcome: 'HTTP 503',
};

describe('the history of a send', () => {
  it('keeps what a later version replaces, with the time of each state', () => {
    const history = createSendHistory();

    for (const send of [CLAIMED, WAITING]) history.add(send);

    const { decision, call, claimId, attempts } = CLAIMED;
    const common = { decision, call, claimId, attempts };
    expect(history.of('1').sendHistory).toEqual([
      { ...common, state: 'claimed', since: CLAIMED.claimedAt },
      { ...common, state: 'waiting', since: WAITING.waitingAt, outcome: 'HTTP 503' },
    ]);
  });

  it('keeps nothing from before an erasure', () => {
    const history = createSendHistory();

    for (const send of [CLAIMED, WAITING]) history.add(send);
    history.add({ ...WAITING, call: undefined, decision: undefined, body: '', erasedAt: '2026-01-31T11:00:00.000Z' });

    expect(history.of('1').sendHistory).toMatchObject([{ state: 'waiting', call: undefined, decision: undefined }]);
  });

  it('keeps why a message failed, but not the time of a status', () => {
    const history = createSendHistory();
    const failed: SendRecord = {
      ...CLAIMED,
      state: 'failed',
      failedAt: '2026-01-31T10:03:00.000Z',
      outcome: 'Failed.',
    };
    const confirmed: SendRecord = {
      ...CLAIMED,
      state: 'accepted',
      acceptedAt: WAITING.waitingAt,
      confirmedBy: 'status',
    };

    for (const send of [failed, confirmed, { ...confirmed, confirmedBy: undefined }]) history.add(send);

    expect(history.of('1').sendHistory).toMatchObject([
      { state: 'failed', since: undefined, outcome: 'Failed.' },
      { state: 'accepted', since: undefined },
      { state: 'accepted', since: WAITING.waitingAt },
    ]);
  });

  it('ignores writes that change nothing that it shows', () => {
    const history = createSendHistory();

    for (const send of [CLAIMED, { ...CLAIMED, isAnswered: true }]) history.add(send);

    expect(history.of('1').sendHistory).toHaveLength(1);
  });

  it('knows when a request was first put on the queue', () => {
    const history = createSendHistory();

    history.addRequest('{"requestId":"1"}', 'first');
    history.addRequest('{"requestId":"1"}', 'second');
    for (const body of ['{', '[]', '{"requestId":1}']) history.addRequest(body, 'malformed');

    expect(history.of('1')).toEqual({ enqueuedAt: 'first', sendHistory: undefined });
  });

  it('forgets the send that was changed least recently', () => {
    const history = createSendHistory(2);

    for (const requestId of ['1', '2', '1', '3']) history.add({ ...CLAIMED, requestId });

    expect(['1', '2', '3'].map((requestId) => history.of(requestId).sendHistory?.length)).toEqual([1, undefined, 1]);
  });
});
