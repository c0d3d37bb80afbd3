import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from 'vitest';
import { readStreamChange, type StreamRecord } from '../../../../lambdas/aws/stream-change.ts';
import {
  contactItem,
  contactName,
  echoItem,
  messageItem,
  readContactName,
  sendItem,
} from '../../../../lambdas/aws/table-keys.ts';

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

describe('a record of the table’s stream', () => {
  it.each([
    { key: messageItem('a#b'), kind: 'message', id: 'a#b' },
    { key: echoItem('a'), kind: 'echo', id: 'a' },
    { key: sendItem('r#1'), kind: 'send', id: 'r#1' },
    { key: { pk: 'ACCOUNT#chat', sk: 'ACCOUNT' }, kind: 'account', id: 'chat' },
  ])('of $key.pk is a change of the $kind $id', ({ key, kind, id }) => {
    const after = { ...key, contact: contactName(CONTACT), set: new Set(['a']) };

    expect(readStreamChange(record(after, key))).toEqual({
      kind,
      id,
      key: JSON.stringify([key.pk, key.sk]),
      writtenAt: '2026-11-20T12:00:00.000Z',
      contact: CONTACT,
      before: key,
      after,
    });
  });

  it('of a contact names it by its key', () => {
    expect(readStreamChange(record({ ...contactItem(CONTACT) }))).toMatchObject({
      kind: 'contact',
      contact: CONTACT,
      before: {},
    });
  });

  it('is none of ours, or tells of a removal', () => {
    expect(readStreamChange(record({ pk: 'OTHER#1', sk: 'OTHER' }))).toBeUndefined();
    expect(readStreamChange(record({ pk: 'SEND#1', sk: 'OTHER' }))).toBeUndefined();
    expect(readStreamChange({ ...record({ ...sendItem('1') }), eventName: 'REMOVE' })).toBeUndefined();
    expect(readStreamChange({})).toBeUndefined();
  });

  it('may hold numbers that JavaScript cannot', () => {
    const image = { ...marshall({ ...sendItem('1') }), large: { N: '1234567890123456789012345678.5' } };

    expect(readStreamChange({ eventName: 'INSERT', dynamodb: { NewImage: image } })).toMatchObject({ kind: 'send' });
  });
});

describe('a contact’s name', () => {
  it.each([
    CONTACT,
    { platform: 'a#b', channel: '%23', key: '#x#' },
    { platform: '%', channel: '+5491100000000', key: 'CO.1000' },
  ])('is read as it was written: %j', (contact) => {
    expect(readContactName(contactName(contact))).toEqual(contact);
  });

  it.each([undefined, 7, '', 'MESSAGE#a', 'CONTACT#chat'])('is not %j', (name) => {
    expect(readContactName(name)).toBeUndefined();
  });
});
