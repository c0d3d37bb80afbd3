import { setImmediate as nextTick } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { NOW, USER } from '../../../../support/builders.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createManagedStage, type ManagedStage } from '../managed-stage.ts';

const tables = testTables();
let stage: ManagedStage;
beforeEach(async () => {
  stage = await createManagedStage(tables);
});

const response = z.object({
  contacts: z.array(z.object({ contact: z.string() })),
  notChecked: z.optional(z.array(z.string())),
});
const contactsIn = (body: unknown) => response.parse(body).contacts.map(({ contact }) => contact);
const notCheckedIn = (body: unknown) => response.parse(body).notChecked ?? [];

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

  describe('of as many numbers as a call can have', () => {
    const numbers = Array.from({ length: 1000 }, (_, index) => `+54911${50_000_000 + index}`);
    const check = () => stage.call('checkContacts', { body: { contacts: numbers, remember: false } });
    const inSeconds = (seconds: number) => new Date(Date.parse(NOW) + seconds * 1000).toISOString();

    it('calls the chat service concurrently, with few numbers in each call', async () => {
      stage.checkAnswer = checked({});
      let running = 0;
      let most = 0;
      stage.duringCheck = async () => {
        most = Math.max(most, ++running);
        await nextTick();
        running -= 1;
        return undefined;
      };

      const { body } = await check();

      expect(contactsIn(body)).toHaveLength(1000);
      expect(body).toHaveProperty('notChecked', undefined);
      expect([stage.checks.length, most]).toEqual([10, 4]);
    });

    it('starts no call that could end after the time limit of the API, and returns the numbers that are left', async () => {
      stage.checkAnswer = checked({});
      // Every call takes the eight seconds that it can take.
      stage.duringCheck = async () => {
        await nextTick();
        stage.setNow(inSeconds(8));
        return undefined;
      };

      const { status, body } = await check();

      expect(status).toBe(200);
      expect(stage.checks).toHaveLength(4);
      expect(contactsIn(body)).toHaveLength(400);
      expect(body).toMatchObject({ notChecked: numbers.slice(400) });
    });

    it('returns the numbers of a call that failed, if others succeeded', async () => {
      stage.checkAnswer = checked({});
      stage.duringCheck = async (contacts) =>
        contacts[0] === numbers[100] ? { kind: 'answered', httpStatus: 503, body: undefined } : undefined;

      const { status, body } = await check();

      expect(status).toBe(200);
      const left = notCheckedIn(body);
      expect([...contactsIn(body), ...left].toSorted()).toEqual(numbers.toSorted());
      expect(left.length).toBeGreaterThanOrEqual(100);
    });
  });

  it('returns 409 with the valid channels when the access token is not for the business number', async () => {
    const problems = { code: 304, message: 'Invalid channel. Valid channels are [5491100000001]' };
    stage.checkAnswer = { kind: 'answered', httpStatus: 200, body: { problems, result: {} } };
    expect(await stage.call('checkContacts', { body: { contacts: [USER] } })).toEqual({
      status: 409,
      body: {
        code: 'INVALID_CHANNEL',
        message:
          'The contacts could not be checked. The chat service answered the contact check with HTTP 200, code 304: ' +
          'the channels of the access token are 5491100000001; set chatChannelNumber to one of them.',
      },
    });
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
