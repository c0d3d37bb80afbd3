import { beforeEach, describe, expect, it } from 'vitest';
import { addMs } from '../../../../../lambdas/domain/instant.ts';
import { NOW, RETENTION_DAYS, USER, wireMessage } from '../../../../support/builders.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createManagedStage, type ManagedStage } from '../managed-stage.ts';

const tables = testTables();
let stage: ManagedStage;
beforeEach(async () => {
  stage = await createManagedStage(tables);
});

describe('a contact', () => {
  it('returns 404 with a code and a message if it is unknown', async () => {
    expect(await stage.call('getContact', { id: USER })).toEqual({
      status: 404,
      body: {
        code: 'CONTACT_NOT_FOUND',
        message: `There is no contact with the ID ${USER}. Check the ID; a phone number needs its country code.`,
      },
    });
  });

  it('has its window, evaluated as for a send', async () => {
    await stage.receive(wireMessage({ CREATION_TIME: '2026-11-19T12:00:59.999Z' }));
    const closed = await stage.call('getContact', { id: USER });
    await stage.receive(wireMessage({ _id_: 'later', CREATION_TIME: '2026-11-19T12:01:00.001Z' }));
    const open = await stage.call('getContact', { id: USER });

    expect(closed.body).toMatchObject({ window: { open: false, closesAt: '2026-11-20T11:59:59.999Z' } });
    expect(open.body).toMatchObject({
      platformContactId: '5491155550000',
      name: 'Ana',
      window: { open: true, lastInboundAt: '2026-11-19T12:01:00.001Z' },
    });
  });

  it('is unknown once it has expired, except for its consents', async () => {
    await stage.receive(wireMessage());
    await stage.call('optOut', { body: { platformContactId: USER, source: 'call' } });
    stage.setNow(addMs('2026-11-20T11:00:00.000Z', RETENTION_DAYS.contacts * 24 * 60 * 60 * 1000));
    const { body } = await stage.call('getContact', { id: USER });

    expect(body).toMatchObject({ platformContactId: USER, consent: { state: 'opted-out' } });
    expect(body).toHaveProperty('name', undefined);
    expect(body).toHaveProperty('window', { open: false, lastInboundAt: undefined, closesAt: undefined });
  });

  it('is found by any spelling of its number', async () => {
    await stage.receive(wireMessage());
    expect(await stage.call('getContact', { id: '+54 11 5555-0000' })).toMatchObject({ status: 200 });
  });
});

describe('a consent', () => {
  it('is recorded with its source and time, per kind and origin', async () => {
    const form = { source: 'form', at: '2026-11-01T00:00:00.000Z' };
    await stage.call('optIn', { body: { platformContactId: USER, origin: 'user', ...form } });
    await stage.call('optIn', { body: { platformContactId: USER, origin: 'import', source: 'list' } });
    const answer = await stage.call('optOut', { body: { platformContactId: USER, source: 'call' } });

    expect(answer).toMatchObject({
      status: 200,
      body: {
        consent: { state: 'opted-out', at: NOW, origin: 'user', source: 'call' },
        consents: [
          { kind: 'opt-in', origin: 'user', ...form },
          { kind: 'opt-in', origin: 'import', at: NOW, source: 'list' },
          { kind: 'opt-out', origin: 'user', at: NOW, source: 'call' },
        ],
        window: { open: false },
      },
    });
  });

  it('without an origin is recorded as import for an opt-in, and as user for an opt-out', async () => {
    await stage.call('optIn', { body: { platformContactId: USER, source: 'list' } });
    const { body } = await stage.call('optOut', { body: { platformContactId: USER, source: 'list' } });

    expect(body).toMatchObject({
      consents: [
        { kind: 'opt-in', origin: 'import' },
        { kind: 'opt-out', origin: 'user' },
      ],
    });
  });

  it.each([
    [{ source: 'form' }, 'platformContactId: is missing'],
    [{ platformContactId: USER }, 'source: is missing'],
    [{ platformContactId: USER, source: 'form', at: 'yesterday' }, '(got "yesterday")'],
    [
      { platformContactId: USER, source: 'form', at: '2026-11-20T12:00:01Z' },
      'at: must not be in the future; it is now 2026-11-20T12:00:00.000Z (got',
    ],
    [{ platformContactId: USER, source: 'form', origin: 'list' }, 'origin: must be user or import'],
    [{ platformContactId: USER, source: 'form', where: 'x' }, 'the body: has the unknown field where'],
    ['{', 'the body: is not JSON.'],
  ])('%j is 400: %s', async (body, sentence) => {
    const answer = await stage.call('optIn', { body });
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST', message: expect.stringContaining(sentence) },
    });
    expect(await stage.items()).toEqual({});
  });
});
