import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatOf,
  nameOfUnknown,
  namesUser,
  readServiceEvent,
  readUser,
  USER_FIELDS,
  WEBHOOK_FORMATS,
} from '../../../../../lambdas/domain/webhook-formats/formats.ts';
import { splitPost } from '../../../../../lambdas/domain/webhook-formats/split-post.ts';
import { WEBHOOK_SAMPLES } from '../../../../support/webhook-samples.ts';

const EVENTS = WEBHOOK_SAMPLES.flatMap(({ page, title, body }) =>
  splitPost(body).flatMap((posted) => ('fields' in posted ? [{ page, title, posted }] : [])),
);
const nameOf = (fields: Record<string, unknown>) => formatOf(fields)?.name;

describe('the format of an event', () => {
  it.each(EVENTS)('is one and no other: $page, $title', ({ posted }) => {
    expect(WEBHOOK_FORMATS.filter((format) => format.matches(posted.fields))).toEqual([posted.format]);
  });

  it.each([
    ['v1.1', { messages: [] }],
    ['v1.1', { v: '2.0' }],
    ['v1.1', { type: 'event', contactId: '5491150000001' }],
    ['code-action', { context: { message: {} } }],
    ['uppercase', { _id_: '1', FROM: '5491150000001' }],
    ['uppercase', { _id_: '1', STATUS: 'read' }],
    ['camelCase', { _id_: '1', contactId: '5491150000001' }],
    ['camelCase', { _id_: '1', fromCustomer: false }],
    [undefined, {}],
    [undefined, { _id_: '1' }],
    [undefined, { _id_: null, FROM: '5491150000001' }],
    [undefined, { FROM: '5491150000001', MESSAGE: 'Hola' }],
    [undefined, { contactId: '5491150000001', message: 'Hola' }],
    [undefined, { type: 'text', contactId: '5491150000001' }],
    [undefined, { type: 'message' }],
    [undefined, { messages: { 0: {} } }],
    [undefined, { context: { message: 'Hola' } }],
    [undefined, { context: [{ message: {} }] }],
    [undefined, { object: 'account', entry: [{ changes: [] }] }],
  ])('is %s for %j', (name, fields) => {
    expect(nameOf(fields)).toBe(name);
  });

  it('is the first of the list if an object has the marks of two', () => {
    const uppercase = { _id_: '1', FROM: '5491150000001' };

    expect(nameOf({ ...uppercase, contactId: '5491150000002', fromCustomer: true })).toBe('uppercase');
    expect(nameOf({ ...uppercase, context: { message: uppercase }, v: '1.1', messages: [] })).toBe('uppercase');
    expect(nameOf({ _id_: '1', contactId: '1', type: 'message' })).toBe('camelCase');
    expect(nameOf({ context: { message: uppercase }, v: '1.1' })).toBe('v1.1');
  });

  it('does not come from the prototype of an object', () => {
    expect(readServiceEvent('{"__proto__":{"_id_":"1","FROM":"5491150000001"}}')).toBeUndefined();
  });
});

describe('reading an event', () => {
  const field = fc.constantFrom(
    ...['v', 'type', 'messages', 'context', 'message', '_id_', '_id', 'messageId', 'FROM', 'TO', 'STATUS', 'MESSAGE'],
    ...['contactId', 'fromCustomer', 'from', 'location', 'contacts', 'status', 'error', 'reason', 'image', 'date'],
  );
  const anything = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom('message', 'status', 'user', 'bot', 'me', '5491150000001', '{"button":7}'),
      fc.dictionary(field, tie('value'), { maxKeys: 8 }),
      fc.array(tie('value'), { maxLength: 3 }),
    ),
  })).value;

  it('throws for no JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(field, anything), (fields) => {
        const read = readServiceEvent(JSON.stringify(fields));

        expect(read === undefined).toBe(nameOf(JSON.parse(JSON.stringify(fields))) === undefined);
      }),
      { numRuns: 1_000 },
    );
  });

  it('finds a sender only in an event that says that the user wrote it', () => {
    const says = (json: string) => /"from":"user"|"fromCustomer":true|"FROM":/i.test(json);
    fc.assert(
      fc.property(fc.dictionary(field, anything), (fields) => {
        const json = JSON.stringify(fields);

        if (!says(json)) expect(readServiceEvent(json)?.message?.sender).not.toBe('user');
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the user whom an event names', () => {
  it.each([
    ['uppercase', { FROM: '5491150000001' }],
    ['uppercase', { FROM: 'ME', TO: '5491150000001' }],
    ['uppercase', { FROM: 'Bot', TO: '5491150000001' }],
    ['camelCase', { contactId: 5491150000001 }],
    ['v1.1', { v: '1.1', contactId: '5491150000001' }],
    ['code-action', { context: { message: { FROM: '5491150000001' } } }],
  ])('is found in %s, even if it is otherwise unreadable: %j', (_format, fields) => {
    expect(readUser(fields)).toMatchObject({ user: '5491150000001' });
  });

  it('is not that of a contact card, nor the business', () => {
    expect(
      readUser({ v: '1.1', messages: [{ contacts: [{ phones: [{ wa_id: '5491150000002' }] }] }] }),
    ).toBeUndefined();
    expect(readUser({ TO: '5491100000000' })).toBeUndefined();
    expect([...USER_FIELDS]).not.toContain('whatsappNumber');
    expect(['me', 'BOT', ''].map(namesUser)).toEqual([false, false, false]);
    expect(namesUser('5491150000001')).toBe(true);
  });
});

describe('the name of an unknown event', () => {
  it.each(['event', 'conversation-close', 'go_to2'])('is that of the chat service if it is one word: %s', (name) => {
    expect(nameOfUnknown(name)).toBe(name);
  });

  it.each(['', '5491150000001', 'Hola Ana', 'a'.repeat(41), 'é'])(
    'is "other" for %j, which may quote the user',
    (name) => {
      expect(nameOfUnknown(name)).toBe('other');
    },
  );
});
