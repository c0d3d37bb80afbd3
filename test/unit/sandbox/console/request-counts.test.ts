import { describe, expect, it } from 'vitest';
import { countOf, reasonOf, statesToOffer } from '../../../../sandbox/console/page/activity/request-counts.ts';
import { requestsPath } from '../../../../sandbox/console/page/state/requests.ts';
import { NO_FILTER, parseRoute } from '../../../../sandbox/console/page/state/route.ts';

const REFUSED = { text: '', state: 'refused' };

describe('the count of requests', () => {
  it.each([
    [{ filter: NO_FILTER, listed: 1, matching: 1, all: 1 }, '1 request'],
    [{ filter: NO_FILTER, listed: 0, matching: 0, all: 0 }, '0 requests'],
    [{ filter: NO_FILTER, listed: 200, matching: 1_310, all: 1_310 }, '1,310 requests, latest 200 shown'],
    [{ filter: REFUSED, listed: 42, matching: 42, all: 310 }, '42 of 310 requests'],
    [{ filter: { text: 'late', state: undefined }, listed: 0, matching: 0, all: 1 }, '0 of 1 request'],
    [{ filter: REFUSED, listed: 200, matching: 300, all: 310 }, '300 of 310 requests, latest 200 shown'],
  ])('of %o is %s', (counts, expected) => {
    expect(countOf(counts)).toBe(expected);
  });
});

describe('the state filter', () => {
  it('offers only states that occur', () => {
    expect(statesToOffer({ accepted: 7, waiting: 0, refused: 3 }, undefined)).toEqual([
      ['accepted', 7],
      ['refused', 3],
    ]);
  });

  it('offers the chosen state even if it does not occur', () => {
    expect(statesToOffer({ accepted: 7, waiting: 0 }, 'waiting')).toContainEqual(['waiting', 0]);
    expect(statesToOffer({ accepted: 7 }, 'unknown')).toContainEqual(['unknown', 0]);
  });
});

describe('the reason of a request', () => {
  it.each([
    ['the reason code', { state: 'refused', code: 'WINDOW_CLOSED', decision: 'It is closed.' }, 'WINDOW_CLOSED'],
    ["the service's own words", { state: 'rejected', outcomeDetails: 'No credit', outcome: '403' }, 'No credit'],
    ['why it failed', { state: 'failed', code: '131026', outcomeDetails: 'Not reachable' }, '131026: Not reachable'],
    ['the code of its failure', { state: 'failed', code: '131049', outcome: 'It failed.' }, '131049'],
    ['the outcome if it failed without a code', { state: 'failed', outcome: 'It failed.' }, 'It failed.'],
    ['why it expired', { state: 'expired', decision: 'Too late', outcome: '503' }, 'Too late'],
    ['nothing if it is accepted', { state: 'accepted', outcomeDetails: 'Accepted with the id 1' }, undefined],
  ])('is %s', (_, send, expected) => {
    expect(reasonOf({ requestId: 'order-1', ...send })).toBe(expected);
  });
});

describe('the listed requests', () => {
  it.each([
    ['?user=%2B54', '/inspector/sends?contact=%2B54'],
    ['?user=%2B54&tab=requests', '/inspector/sends?'],
    ['?user=%2B54&tab=requests&state=refused&q=a%26b', '/inspector/sends?state=refused&text=a%26b'],
    ['', undefined],
    ['?user=%2B54&tab=events', undefined],
  ])('of the page %s are those of %s', (search, path) => {
    expect(requestsPath(parseRoute(search))).toBe(path);
  });
});
