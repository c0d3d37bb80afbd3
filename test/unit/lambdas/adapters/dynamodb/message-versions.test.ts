import { describe, expect, it } from 'vitest';
import type { ConversationTable } from '../../../../../lambdas/adapters/dynamodb/table.ts';
import { type ContactRef, contactRef } from '../../../../../lambdas/domain/contact.ts';
import { addMs } from '../../../../../lambdas/domain/instant.ts';
import { MAX_EARLIER_VERSIONS, versionDigest } from '../../../../../lambdas/domain/message-version.ts';
import type { ErasablePosition } from '../../../../../lambdas/ports.ts';
import { NOW, TRACEPARENT, wireMessage } from '../../../../support/builders.ts';
import { CONTACT, contact, wireEcho } from './message-builders.ts';
import { createRepositoriesForEach, type Repositories, repositoriesOf } from './repositories.ts';

const stored = createRepositoriesForEach();

const CREATED = '2026-11-20T11:00:00.000Z';
const MODIFIED = '2026-11-20T11:05:00.000Z';

const original = wireMessage({ MESSAGE: 'Salta 100', LAST_MODIFICATION: CREATED });
const edit = wireMessage({ MESSAGE: 'Salta 999', LAST_MODIFICATION: MODIFIED });

const receive = (wire: unknown, receivedAt = NOW, { storeEvent }: Pick<Repositories, 'storeEvent'> = stored) =>
  storeEvent({ rawBody: Buffer.from(JSON.stringify(wire)), receivedAt, traceparent: TRACEPARENT });
/** The items, without that of the customer, which every event names. */
const items = async () =>
  Object.fromEntries(Object.entries(await stored.items()).filter(([name]) => !name.startsWith('CUSTOMER#')));
const bodyOf = (wire: unknown) => JSON.stringify(wire);
const keyOf = (wire: unknown) => `MESSAGE#message-1 VERSION#${versionDigest(bodyOf(wire))}`;

describe('an edited message', () => {
  it.each([
    ['in order', [original, edit]],
    ['in reverse', [edit, original]],
    ['repeated', [original, edit, original, edit, edit]],
  ])('has its latest content and its earliest time, and keeps the original: %s', async (_order, events) => {
    for (const event of events) expect(await receive(event)).toMatchObject({ kind: 'stored' });
    expect(await items()).toEqual({
      'MESSAGE#message-1 MESSAGE': {
        pk: 'MESSAGE#message-1',
        sk: 'MESSAGE',
        direction: 'inbound',
        contact: CONTACT,
        contactSort: `MESSAGE#${CREATED}`,
        createdAt: CREATED,
        createdAtSource: 'event',
        modifiedAt: MODIFIED,
        body: bodyOf(edit),
        versions: new Set([versionDigest(bodyOf(original))]),
        traceparent: TRACEPARENT,
        expiresAt: Date.parse('2027-12-25T11:00:00.000Z') / 1000,
      },
      [keyOf(original)]: {
        pk: 'MESSAGE#message-1',
        sk: `VERSION#${versionDigest(bodyOf(original))}`,
        direction: 'inbound',
        contact: CONTACT,
        contactSort: `VERSION#${CREATED}`,
        createdAt: CREATED,
        modifiedAt: CREATED,
        body: bodyOf(original),
        expiresAt: Date.parse('2027-12-25T11:00:00.000Z') / 1000,
      },
      [`${CONTACT} CONTACT`]: expect.objectContaining({ lastInboundAt: CREATED }),
    });
  });

  it('is shown once in the conversation, and with all versions on its own', async () => {
    for (const event of [edit, original]) await receive(event);
    const { messages } = await stored.messages.readConversation([{ subject: contact }], { limit: 10 });
    expect(messages).toEqual([expect.objectContaining({ text: 'Salta 999', createdAt: CREATED, editedAt: MODIFIED })]);
    expect(await stored.messages.read('message-1')).toMatchObject({
      body: bodyOf(edit),
      editedAt: MODIFIED,
      versions: [
        { modifiedAt: CREATED, text: 'Salta 100', body: bodyOf(original) },
        { modifiedAt: MODIFIED, text: 'Salta 999', body: bodyOf(edit) },
      ],
    });
  });

  it('has the version that was delivered last as its latest if the events do not say when they were modified', async () => {
    const texts = ['b', 'c', 'a'];
    for (const [minute, MESSAGE] of texts.entries())
      await receive(wireMessage({ MESSAGE }), addMs(NOW, minute * 60_000));
    // A redelivery is not a new version.
    await receive(wireMessage({ MESSAGE: 'c' }), addMs(NOW, 3_600_000));
    const { versions, ...message } = (await stored.messages.read('message-1')) ?? {};
    expect(message).toMatchObject({ text: 'a', createdAt: CREATED, editedAt: addMs(NOW, 120_000) });
    expect(versions?.map(({ text }) => text)).toEqual(texts);
  });

  it('is later than its original, which does not say when it was modified and is delivered afterwards', async () => {
    await receive(edit);
    await receive(wireMessage({ MESSAGE: 'Salta 100' }), addMs(NOW, 60_000));
    expect(await stored.messages.read('message-1')).toMatchObject({ text: 'Salta 999', editedAt: MODIFIED });
  });

  it('is an echo as well', async () => {
    const [first, second] = ['price 10', 'price 12'].map((MESSAGE) => wireEcho({ MESSAGE }));
    for (const event of [first, second]) await receive(event);
    expect(await stored.messages.read('message-1')).toMatchObject({
      direction: 'echo',
      text: 'price 12',
      versions: [{ body: bodyOf(first) }, { body: bodyOf(second) }],
    });
  });

  it('is not a message that an import or a status contains in another form', async () => {
    const message = { kind: 'message', id: 'message-1', traceparent: TRACEPARENT, address: 'a' } as const;
    const arrival = { ...message, contact, opensWindow: true, time: { at: CREATED, source: 'event' } } as const;
    await stored.messages.recordInbound({ ...arrival, body: '{"from":"status"}', isFromStatus: true });
    await stored.messages.recordInbound({ ...arrival, body: '{"from":"history"}', isImported: true });
    await receive(original);
    await stored.messages.recordInbound({ ...arrival, body: '{"from":"history"}', isImported: true });
    expect(await stored.messages.read('message-1')).toMatchObject({
      body: bodyOf(original),
      versions: undefined,
    });
  });
});

describe('a function that dies', () => {
  it.each([0, 1, 2])('after %i writes of an edit loses no version, and a redelivery completes it', async (survived) => {
    await receive(original);
    const table = stored.table;
    let writes = 0;
    const dying: ConversationTable = {
      ...table,
      async update(...parameters) {
        if (writes++ === survived) throw new Error('killed');
        return table.update(...parameters);
      },
    };
    await receive(edit, NOW, { storeEvent: repositoriesOf(dying).storeEvent }).catch(() => undefined);
    expect(JSON.stringify(await items())).toContain('Salta 100');
    await receive(edit);
    expect(await items()).toMatchObject({
      'MESSAGE#message-1 MESSAGE': { body: bodyOf(edit) },
      [keyOf(original)]: { body: bodyOf(original) },
    });
  });
});

describe('two functions that record versions at once', () => {
  it.each([0, 1, 2])('lose none, if one records another version before write %i of the other', async (before) => {
    await receive(original);
    const table = stored.table;
    const other = wireMessage({ MESSAGE: 'Salta 500', LAST_MODIFICATION: '2026-11-20T11:03:00.000Z' });
    let writes = 0;
    const interrupted: ConversationTable = {
      ...table,
      async update(...parameters) {
        if (writes++ === before) await receive(other);
        return table.update(...parameters);
      },
    };
    expect(
      await repositoriesOf(interrupted).storeEvent({ rawBody: Buffer.from(bodyOf(edit)), receivedAt: NOW }),
    ).toEqual(expect.objectContaining({ kind: 'stored' }));
    const { versions } = (await stored.messages.read('message-1')) ?? {};
    expect(versions?.map(({ body }) => body)).toEqual([original, other, edit].map(bodyOf));
  });
});

describe('the versions of a message', () => {
  it(`are at most ${MAX_EARLIER_VERSIONS} and the latest: any other is quarantined, and a repetition is not`, async () => {
    const versions = Array.from({ length: MAX_EARLIER_VERSIONS + 1 }, (_, index) =>
      wireMessage({ MESSAGE: `version ${index}`, LAST_MODIFICATION: addMs(CREATED, index) }),
    );
    for (const version of versions) expect(await receive(version)).toMatchObject({ kind: 'stored' });
    expect(await receive(edit)).toEqual(
      expect.objectContaining({
        kind: 'unstorable',
        reason: 'The message message-1 has too many versions: 50 and the latest one are stored.',
      }),
    );
    expect(await receive(versions[7])).toMatchObject({ kind: 'stored' });
    expect(Object.keys(await items()).filter((key) => key.includes('VERSION#'))).toHaveLength(MAX_EARLIER_VERSIONS);
  });

  const eraseAll = async (of: ContactRef) => {
    let after: ErasablePosition | undefined;
    do {
      const { items: listed, next } = await stored.erasures.listItems(of, NOW, after);
      for (const item of listed) await stored.erasures.erase(of, item, NOW);
      after = next;
    } while (after !== undefined);
  };

  it('are erased with the message', async () => {
    for (const event of [original, edit]) await receive(event);
    for (const MESSAGE of ['one', 'two']) await receive(wireEcho({ TO: undefined, CUSTOMER_ID: undefined, MESSAGE }));
    await eraseAll(contact);
    expect(Object.keys(await items())).toEqual([`${CONTACT} CONTACT`]);
  });

  it('are erased alone if the message with their ID is of another contact', async () => {
    await receive(wireMessage({ FROM: 'CO.1000', MESSAGE: 'of another', LAST_MODIFICATION: CREATED }));
    await receive(edit);
    await eraseAll(contactRef('chat', 'CO.1000'));
    expect(await stored.messages.read('message-1')).toMatchObject({ text: 'Salta 999', versions: undefined });
    expect(JSON.stringify(await items())).not.toContain('of another');
  });
});

describe('a keyword in an edited message', () => {
  const KEYWORDS = { optOut: ['STOP'], optIn: ['START'] };
  const consentsAfter = async (events: readonly unknown[]) => {
    const keyworded = repositoriesOf(stored.table, KEYWORDS);
    for (const event of events) await receive(event, NOW, { storeEvent: keyworded.storeEvent });
    const consents = await stored.contacts.readConsents(contact);
    return consents.map(({ kind, at }) => [kind, at]);
  };
  const version = (MESSAGE: string, LAST_MODIFICATION: string) => wireMessage({ MESSAGE, LAST_MODIFICATION });
  const [yes, stop] = [version('Yes', CREATED), version('STOP', MODIFIED)];

  it.each([
    ['in order', [yes, stop]],
    ['in reverse', [stop, yes]],
    ['repeated', [yes, stop, yes, stop]],
  ])('is an opt-out as of the edit: %s', async (_order, events) => {
    expect(await consentsAfter(events)).toEqual([['opt-out', MODIFIED]]);
  });

  it('still counts if it was edited away', async () => {
    const [first, second] = [version('STOP', CREATED), version('Stop it please', MODIFIED)];
    expect(await consentsAfter([first, second])).toEqual([['opt-out', CREATED]]);
  });

  it('is no opt-in, and opens no window', async () => {
    expect(await consentsAfter([yes, version('START', MODIFIED)])).toEqual([]);
    expect(await stored.contacts.read(contact, NOW)).toMatchObject({ lastInboundAt: CREATED });
  });

  it('is no consent of another contact whose message has the same ID', async () => {
    const other = wireMessage({
      FROM: 'CO.1000',
      CUSTOMER_ID: 'customer-2',
      MESSAGE: 'Hi',
      LAST_MODIFICATION: CREATED,
    });
    await consentsAfter([stop, other]);
    expect(await stored.contacts.readConsents(contactRef('chat', 'CO.1000'))).toEqual([]);
  });
});
