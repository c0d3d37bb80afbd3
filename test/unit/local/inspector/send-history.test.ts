import { describe, expect, it } from 'vitest';
import { createSendHistory } from '../../../../local/inspector/send-history.ts';

const CLAIMED = {
  pk: 'SEND#1',
  sk: 'SEND',
  state: 'claimed',
  claimedAt: '2026-01-31T10:00:00.100Z',
  decision: 'The window is open.',
  call: { endpoint: 'message/v3' },
  claimId: 'claim-1',
  attempts: 1,
  body: '{}',
};
const WAITING = { ...CLAIMED, state: 'waiting', waitingAt: '2026-01-31T10:00:00.200Z', outcome: 'HTTP 503' };

describe('the history of a send', () => {
  it('keeps what a later version replaces, with the time of each state', () => {
    const history = createSendHistory();

    for (const item of [CLAIMED, WAITING]) history.add(item);

    const { decision, call, claimId, attempts } = CLAIMED;
    const common = { decision, call, claimId, attempts };
    expect(history.of('SEND#1').sendHistory).toEqual([
      { ...common, state: 'claimed', claimedAt: CLAIMED.claimedAt },
      { ...common, state: 'waiting', waitingAt: WAITING.waitingAt, outcome: 'HTTP 503' },
    ]);
  });

  it('keeps why a message failed, which a message of another call can replace', () => {
    const history = createSendHistory();
    const failed = { ...CLAIMED, state: 'failed', failedAt: '2026-01-31T10:03:00.000Z', failure: '131026 ' };

    for (const item of [failed, { ...CLAIMED, state: 'accepted' }]) history.add(item);

    expect(history.of('SEND#1').sendHistory).toMatchObject([{ state: 'failed', failure: '131026 ' }, {}]);
  });

  it('ignores other items, and writes that do not change the send', () => {
    const history = createSendHistory();

    for (const item of [CLAIMED, { ...CLAIMED, lastFailedAt: 'x' }, { ...CLAIMED, sk: 'MESSAGE' }]) history.add(item);

    expect(history.of('SEND#1').sendHistory).toHaveLength(1);
  });

  it('knows when a request was first put on the queue', () => {
    const history = createSendHistory();

    history.addRequest('{"requestId":"1"}', 'first');
    history.addRequest('{"requestId":"1"}', 'second');
    for (const body of ['{', '[]', '{"requestId":1}']) history.addRequest(body, 'malformed');

    expect(history.of('SEND#1')).toEqual({ enqueuedAt: 'first', sendHistory: undefined });
  });

  it('forgets the send that was changed least recently', () => {
    const history = createSendHistory(2);

    for (const pk of ['SEND#1', 'SEND#2', 'SEND#1', 'SEND#3']) history.add({ ...CLAIMED, pk });

    expect(['SEND#1', 'SEND#2', 'SEND#3'].map((pk) => history.of(pk).sendHistory?.length)).toEqual([1, undefined, 1]);
  });
});
