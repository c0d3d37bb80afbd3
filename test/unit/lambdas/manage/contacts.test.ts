import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NOW, USER, wireMessage } from '../../../support/builders.ts';
import { type EmulatedTables, startEmulatedTables } from '../aws/emulated-table.ts';
import { createManagedStage, type ManagedStage } from './managed-stage.ts';

let tables: EmulatedTables;
let stage: ManagedStage;
beforeAll(async () => {
  tables = await startEmulatedTables();
});
afterAll(() => tables.close());
beforeEach(async () => {
  stage = await createManagedStage(tables);
});

const userWrites = (changes: Record<string, unknown> = {}) =>
  stage.storeEvent({ rawBody: Buffer.from(JSON.stringify(wireMessage(changes))), receivedAt: NOW });

const checked = (result: Record<string, string>) => ({
  kind: 'answered' as const,
  httpStatus: 200,
  body: { problems: null, result },
});

describe('a contact', () => {
  it('nobody has heard of is 404, with a code and a sentence', async () => {
    expect(await stage.getContact({ id: USER })).toEqual({
      status: 404,
      body: { code: 'CONTACT_NOT_FOUND', message: `Nothing is known of the contact ${USER}.` },
    });
  });

  it('has its window, judged as a send would judge it', async () => {
    await userWrites({ CREATION_TIME: '2026-11-19T12:00:59.999Z' });
    const closed = await stage.getContact({ id: USER });
    await userWrites({ _id_: 'later', CREATION_TIME: '2026-11-19T12:01:00.001Z' });
    const open = await stage.getContact({ id: USER });

    expect(closed.body).toMatchObject({ window: { open: false, closesAt: '2026-11-20T11:59:59.999Z' } });
    expect(open.body).toMatchObject({
      platformContactId: '5491155550000',
      name: 'Ana',
      window: { open: true, lastInboundAt: '2026-11-19T12:01:00.001Z' },
    });
  });

  it('is found by any spelling of its number', async () => {
    await userWrites();
    expect(await stage.getContact({ id: '+54 11 5555-0000' })).toMatchObject({ status: 200 });
  });

  it('is one for each of the business’s numbers where the stage says so', async () => {
    stage = await createManagedStage(tables, { windowPer: 'channel' });
    await userWrites({ TO: '+5491100000001' });
    const ofAnother = await stage.getContact({ id: USER });
    const ofThis = await stage.getContact({ id: USER, query: { chatChannelNumber: '+5491100000001' } });

    expect([ofAnother.status, ofThis.status]).toEqual([404, 200]);
  });

  it('asked for with a query that is not understood is 400', async () => {
    expect(await stage.getContact({ id: USER, query: { plaform: 'x' } })).toEqual({
      status: 400,
      body: { code: 'INVALID_REQUEST', message: 'Not understood: the query does not know plaform.' },
    });
  });
});

describe('a consent', () => {
  it('is kept with its source and time, each kind by itself', async () => {
    await stage.optIn({ body: { platformContactId: USER, source: 'form', at: '2026-11-01T00:00:00Z' } });
    const answer = await stage.optOut({ body: { platformContactId: USER, source: 'call' } });

    expect(answer).toMatchObject({
      status: 200,
      body: {
        optIn: { at: '2026-11-01T00:00:00.000Z', source: 'form' },
        optOut: { at: NOW, source: 'call' },
        window: { open: false },
      },
    });
  });

  it('ends in the same item in any order, with any repetition', async () => {
    const consent = fc.record({ at: fc.integer({ min: 1, max: 3 }), source: fc.constantFrom('form', 'call') });
    await fc.assert(
      fc.asyncProperty(fc.array(consent, { minLength: 1, maxLength: 5 }), async (consents) => {
        const record = async (contact: string, order: typeof consents) => {
          for (const { at, source } of order) {
            await stage.optIn({ body: { platformContactId: contact, source, at: `2026-11-0${at}T00:00:00Z` } });
          }
        };
        await record('forward', consents);
        await record('backward', [...consents, ...consents].toReversed());
        const items = await stage.items();
        const { pk: _, ...forward } = items['CONTACT#chat#*#forward CONTACT'] ?? {};
        const { pk: __, ...backward } = items['CONTACT#chat#*#backward CONTACT'] ?? {};
        expect(backward).toEqual(forward);
        stage = await createManagedStage(tables);
      }),
      { numRuns: 15 },
    );
  });

  it.each([
    [{ source: 'form' }, 'platformContactId is missing'],
    [{ platformContactId: USER }, 'source is missing'],
    [{ platformContactId: USER, source: 'form', at: 'yesterday' }, 'at must be an ISO 8601 time'],
    [{ platformContactId: USER, source: 'form', at: '2026-11-20T12:00:01Z' }, 'which is yet to come'],
    [{ platformContactId: USER, source: 'form', where: 'x' }, 'the body does not know where'],
    ['{', 'The body is not JSON.'],
  ])('%j is 400: %s', async (body, sentence) => {
    const answer = await stage.optIn({ body });
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST', message: expect.stringContaining(sentence) },
    });
  });
});

describe('a contact check', () => {
  it('is remembered on every contact, the later one over the earlier', async () => {
    stage.answers.check = checked({ [USER]: '5491155550000' });
    const answer = await stage.checkContacts({ body: { contacts: [USER, USER, '+5491155550001'] } });

    expect(stage.checks).toEqual([{ contacts: [USER, '+5491155550001'] }]);
    expect(answer.body).toEqual({
      contacts: [
        { contact: USER, at: NOW, onPlatform: true, platformContactId: '5491155550000' },
        { contact: '+5491155550001', at: NOW, onPlatform: false },
      ],
    });
    expect((await stage.getContact({ id: USER })).body).toMatchObject({
      check: { at: NOW, onPlatform: true, platformContactId: '5491155550000' },
    });
    stage.time.now = '2026-11-20T11:00:00.000Z';
    stage.answers.check = checked({});
    await stage.checkContacts({ body: { contacts: [USER] } });
    expect((await stage.getContact({ id: USER })).body).toMatchObject({ check: { at: NOW, onPlatform: true } });
  });

  it('leaves nothing behind when it is not to be remembered', async () => {
    stage.answers.check = checked({ [USER]: '5491155550000' });
    await stage.checkContacts({ body: { contacts: [USER], remember: false } });
    expect(await stage.items()).toEqual({});
  });

  it('that the chat service does not answer is 502 and says why', async () => {
    stage.answers.check = { kind: 'answered', httpStatus: 401, body: undefined };
    expect(await stage.checkContacts({ body: { contacts: [USER] } })).toEqual({
      status: 502,
      body: {
        code: 'CHAT_SERVICE_FAILED',
        message: 'The contacts could not be checked. The contact check was answered with HTTP 401.',
      },
    });
  });
});
