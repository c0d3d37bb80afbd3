import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from 'vitest';
import { readItemChange, type StreamRecord } from '../../../../lambdas/table/item-changes.ts';
import {
  accountKey,
  checkKeyOf,
  consentKeyOf,
  contactKeyOf,
  contactName,
  denialKeyOf,
  echoKey,
  erasureKey,
  messageKey,
  sendKey,
  turnKeyOf,
} from '../../../../lambdas/table/keys.ts';

const CONTACT = { platform: 'chat', channel: '*', key: '541155550000' };

const record = (after: object, before?: object): StreamRecord => ({
  eventName: before ? 'MODIFY' : 'INSERT',
  dynamodb: {
    SequenceNumber: '42',
    ApproximateCreationDateTime: 1_795_176_000,
    NewImage: marshall(after),
    ...(before && { OldImage: marshall(before) }),
  },
});

describe('readItemChange', () => {
  it.each([
    { key: messageKey('a#b'), kind: 'message', id: 'a#b' },
    { key: echoKey('a#b'), kind: 'echo', id: 'a#b' },
    { key: sendKey('r#1'), kind: 'send', id: 'r#1' },
    { key: accountKey({ platform: 'chat', channel: '+5491100000000' }), kind: 'account', id: 'chat#+5491100000000' },
  ])('returns a change of the $kind $id for an item of $key.pk', ({ key, kind, id }) => {
    const after = { ...key, contact: contactName(CONTACT), traceparent: 'trace', platform: 'chat' };

    expect(readItemChange(record(after, key))).toMatchObject({
      kind,
      id,
      key: JSON.stringify([key.pk, key.sk]),
      writtenAt: '2026-11-20T12:00:00.000Z',
      contact: CONTACT,
      before: kind === 'account' ? { platform: '' } : { traceparent: undefined },
      after: kind === 'account' ? { platform: 'chat' } : { traceparent: 'trace' },
    });
  });

  it('reads a send whose state has another form as one without a state', () => {
    const after = { ...sendKey('request-1'), state: { toString: 'accepted' } };

    expect(readItemChange(record(after))).toMatchObject({ kind: 'send', after: { state: undefined } });
  });

  it('takes the contact of its consents from their key', () => {
    expect(readItemChange(record({ ...consentKeyOf(CONTACT) }))).toMatchObject({
      kind: 'consent',
      contact: CONTACT,
      before: [],
    });
  });

  it('returns undefined for removals and for items that are not published', () => {
    expect(readItemChange(record({ pk: 'OTHER#1', sk: 'OTHER' }))).toBeUndefined();
    expect(readItemChange(record({ pk: 'SEND#1', sk: 'OTHER' }))).toBeUndefined();
    expect(readItemChange(record({ pk: 'OTHER#1', sk: 'SEND' }))).toBeUndefined();
    expect(readItemChange(record({ pk: 'SEND#1', sk: 'ECHO' }))).toBeUndefined();
    expect(readItemChange(record({ ...erasureKey('1') }))).toBeUndefined();
    for (const keyOf of [contactKeyOf, checkKeyOf, denialKeyOf]) {
      expect(readItemChange(record({ ...keyOf(CONTACT) }))).toBeUndefined();
    }
    expect(readItemChange({ ...record({ ...sendKey('1') }), eventName: 'REMOVE' })).toBeUndefined();
    expect(readItemChange({})).toBeUndefined();
  });

  it('returns the deletion of a turn, which ends it, but not its expiry', () => {
    const turn = { ...turnKeyOf(CONTACT), firstMessageId: 'a', messageIds: new Set(['a']), messageCount: 1 };
    const before = { firstMessageId: 'a', messageIds: ['a'], messageCount: 1 };
    const deletion = { eventName: 'REMOVE', dynamodb: { OldImage: marshall(turn) } };

    expect(readItemChange(deletion)).toMatchObject({ kind: 'turn', contact: CONTACT, before, after: undefined });
    const userIdentity = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };
    expect(readItemChange({ ...deletion, userIdentity })).toBeUndefined();
  });

  it('reads what has another type than Parley writes as missing', () => {
    const send = {
      ...sendKey('1'),
      state: 'sent',
      acceptedAt: 7,
      outcome: ['ok'],
      call: { endpoint: 'other', body: 'x' },
    };
    const image = { since: undefined, outcome: undefined };

    expect(readItemChange(record(send))).toMatchObject({
      after: { ...image, state: 'sent', call: { endpoint: undefined } },
    });
  });

  it('reads items with numbers that are too large for JavaScript', () => {
    const image = { ...marshall({ ...sendKey('1') }), large: { N: '1234567890123456789012345678.5' } };

    expect(readItemChange({ eventName: 'INSERT', dynamodb: { NewImage: image } })).toMatchObject({ kind: 'send' });
  });
});
