import { beforeEach, describe, expect, it } from 'vitest';
import { NOW, USER } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import { createManagedStage, type ManagedStage } from './managed-stage.ts';

const tables = testTables();
let stage: ManagedStage;
beforeEach(async () => {
  stage = await createManagedStage(tables);
});

const checked = (result: Record<string, string>) => ({
  kind: 'answered' as const,
  httpStatus: 200,
  body: { problems: null, result },
});

describe('a contact check', () => {
  it('is recorded on every contact, and a later check is not replaced by an earlier one', async () => {
    stage.checkAnswer = checked({ [USER]: '5491155550000' });
    const answer = await stage.call('checkContacts', { body: { contacts: [USER, USER, '+5491155550001'] } });

    expect(stage.checks).toEqual([[USER, '+5491155550001']]);
    expect(answer.body).toEqual({
      contacts: [
        { contact: USER, at: NOW, onPlatform: true, platformContactId: '5491155550000' },
        { contact: '+5491155550001', at: NOW, onPlatform: false },
      ],
    });
    expect((await stage.call('getContact', { id: USER })).body).toMatchObject({
      check: { at: NOW, onPlatform: true, platformContactId: '5491155550000' },
    });
    expect((await stage.call('getContact', { id: '+5491155550001' })).body).toMatchObject({
      check: { at: NOW, onPlatform: false },
    });
    stage.setNow('2026-11-20T11:00:00.000Z');
    stage.checkAnswer = checked({});
    await stage.call('checkContacts', { body: { contacts: [USER] } });
    expect((await stage.call('getContact', { id: USER })).body).toMatchObject({ check: { at: NOW, onPlatform: true } });
  });

  it('formats numbers as numberFormat says, and finds them in the answer by their digits', async () => {
    stage = await createManagedStage(tables, { numberFormat: 'digits' });
    stage.checkAnswer = checked({ '5491155550000': '541155550000' });
    const answer = await stage.call('checkContacts', { body: { contacts: [USER] } });

    expect([stage.checkedChannels, stage.checks]).toEqual([['5491100000000'], [['5491155550000']]]);
    expect(answer.body).toEqual({
      contacts: [{ contact: USER, at: NOW, onPlatform: true, platformContactId: '541155550000' }],
    });
  });

  it('returns 400 for an id that is not a phone number, which the check would report as absent', async () => {
    expect(await stage.call('checkContacts', { body: { contacts: [USER, 'CO.1000123'] } })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('must be a phone number') },
    });
    expect(stage.checks).toEqual([]);
  });

  it('records nothing when it is not to be remembered', async () => {
    stage.checkAnswer = checked({ [USER]: '5491155550000' });
    await stage.call('checkContacts', { body: { contacts: [USER], remember: false } });
    expect(await stage.items()).toEqual({});
  });

  it('returns 502 with the reason when the chat service fails', async () => {
    stage.checkAnswer = { kind: 'answered', httpStatus: 401, body: undefined };
    expect(await stage.call('checkContacts', { body: { contacts: [USER] } })).toEqual({
      status: 502,
      body: {
        code: 'CHAT_SERVICE_FAILED',
        message: 'The contacts could not be checked. The chat service answered the contact check with HTTP 401.',
      },
    });
  });
});
