import { describe, expect, it } from 'vitest';
import { adviceOn, contactOf, summaryOf } from '../../../../sandbox/console/page/activity/dead-letter-summary.ts';

const deadLetter = (body: unknown, reason?: string) => ({
  id: 'message-1',
  body: typeof body === 'string' ? body : JSON.stringify(body),
  receiveCount: 1,
  ...(reason !== undefined && { reason }),
});

describe('the summary of a dead letter', () => {
  it.each([
    ['a message', { rawBody: { FROM: '+5491155550001' } }, 'Event from +5491155550001: message'],
    ['a status', { rawBody: { FROM: '+5491155550001', STATUS: 'read' } }, 'Event from +5491155550001: read'],
    ['an event without a sender', { rawBody: { hello: 'world' } }, 'Event without a sender'],
    ['an event that is text', { rawBody: 'hello', encoding: 'utf8' }, 'Event without a sender'],
    ['no JSON', 'hello', 'Event without a sender'],
  ])('of %s', (_, body, expected) => {
    expect(summaryOf('inbound', deadLetter(body))).toBe(expected);
  });

  it.each(['send', 'bulk'] as const)('of a request on the queue %s says that it has no ID', (queue) => {
    expect(summaryOf(queue, deadLetter('not JSON'))).toBe('Request without an ID');
  });
});

it.each([
  [{ platformContactId: '+5491155550001' }, '+5491155550001'],
  [{ platformContactId: 7 }, ''],
  ['not JSON', ''],
])('reads the contact of the request %j', (body, contact) => {
  expect(contactOf(deadLetter(body))).toBe(contact);
});

it.each([
  ['MALFORMED: requestId: is required', 'must fix it'],
  ['REQUEST_ID_REUSED', 'must use a new ID'],
])('says that a redrive alone does not help a request with the reason %s', (reason, advice) => {
  expect(adviceOn(deadLetter({}, reason))).toContain(advice);
});

it('gives no advice if a redrive may help', () => {
  expect(adviceOn(deadLetter({}, 'PROCESSING_FAILED: timeout'))).toBeUndefined();
  expect(adviceOn(deadLetter({}))).toBeUndefined();
});
