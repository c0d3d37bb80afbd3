import { beforeEach, describe, expect, it } from 'vitest';
import { contactRef } from '../../../../../lambdas/domain/contact.ts';
import { ACCOUNT, NOW, optOut, sendRequest, templateRequest, USER, wireMessage } from '../../../../support/builders.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createManagedStage, type ManagedStage } from '../managed-stage.ts';

const tables = testTables();
let stage: ManagedStage;
beforeEach(async () => {
  stage = await createManagedStage(tables);
});

const dryRun = (body: object) => stage.call('enqueueSend', { query: { dryRun: 'true' }, body });

describe('POST /v1/sends?dryRun=true', () => {
  it('answers with the decision, the endpoint, and the end of the window, and writes and queues nothing', async () => {
    await stage.receive(wireMessage());

    expect(await dryRun(sendRequest())).toEqual({
      status: 200,
      body: {
        at: NOW,
        decision: 'free-form',
        why: 'The user wrote at 2026-11-20T11:00:00.000Z, so the window is open.',
        known: true,
        endpoint: 'message/v3',
        windowClosesAt: expect.stringMatching(/^2026-11-21T1/),
        circuitBreaker: { state: 'closed' },
        sending: { state: 'running' },
        backlog: { queue: 0 },
      },
    });
    expect(stage.queued).toEqual([]);
    expect((await stage.call('getSend', { id: 'request-1' })).status).toBe(404);
  });

  it('names the rule that forbids it', async () => {
    await stage.receive(wireMessage({ CREATION_TIME: '2026-11-18T11:00:00.000Z' }));
    await stage.contacts.recordConsent(contactRef(ACCOUNT.platform, USER), optOut(NOW));

    const { body } = await dryRun(templateRequest());
    expect(body).toMatchObject({
      decision: 'refused',
      code: 'OPTED_OUT',
      endpoint: undefined,
      windowClosesAt: undefined,
    });
  });

  it('judges a request with a sendAt as of then', async () => {
    await stage.receive(wireMessage());
    const sendAt = '2026-11-22T12:00:00Z';

    expect((await dryRun(templateRequest({ messageText: 'Hi', sendAt }))).body).toMatchObject({
      decision: 'template',
      endpoint: 'intent/v2',
      windowClosesAt: undefined,
    });
  });

  it.each([
    ['the request', undefined, 'PT10M'],
    ['the stage', 'PT10M', undefined],
  ])('counts a relative notAfter of %s from the sendAt', async (_whose, defaultNotAfter, notAfter) => {
    stage = await createManagedStage(tables, { defaultNotAfter });
    await stage.receive(wireMessage());
    const late = { notAfter, sendAt: '2026-11-20T11:45:00Z' };

    expect((await dryRun(sendRequest(late))).body).toMatchObject({ decision: 'expired', endpoint: undefined });
    const forecast = { contacts: [USER], messageText: 'Hi', ...late };
    expect((await stage.call('forecastSends', { body: forecast })).body).toMatchObject({
      forecasts: [{ decision: 'expired' }],
    });
    expect((await dryRun(sendRequest({ ...late, sendAt: undefined }))).body).toMatchObject({ decision: 'free-form' });
    expect((await dryRun(sendRequest({ ...late, sendAt: '2026-11-20T15:00:00Z' }))).body).toMatchObject({
      decision: 'free-form',
    });
  });

  it('judges a condition by the time of the message that it names', async () => {
    await stage.receive(wireMessage());
    const answer = sendRequest({ unless: ['userWroteSince'], since: 'message-1' });
    expect((await dryRun(answer)).body).toMatchObject({ decision: 'free-form' });

    await stage.receive(wireMessage({ _id_: 'message-2', CREATION_TIME: '2026-11-20T11:30:00.000Z' }));
    expect((await dryRun(answer)).body).toMatchObject({ code: 'SUPERSEDED' });
    expect((await dryRun({ ...answer, since: 'message-3' })).body).toMatchObject({ code: 'SINCE_UNKNOWN' });
    await stage.receive(wireMessage({ _id_: 'message-4', FROM: '5491155559999' }));
    expect((await dryRun({ ...answer, since: 'message-4' })).body).toMatchObject({ code: 'SINCE_UNKNOWN' });
  });

  it('shows what the request would wait for', async () => {
    await stage.receive(wireMessage());
    await stage.call('stopSending', { body: { note: 'Wrong price' } });

    expect((await dryRun(sendRequest())).body).toMatchObject({ sending: { state: 'stopped', note: 'Wrong price' } });
  });

  it('shows how many requests are on each queue, which only a dry run counts', async () => {
    await stage.receive(wireMessage());
    stage.backlog = { queue: 3, bulk: 50_000 };

    expect((await dryRun(sendRequest())).body).toMatchObject({ backlog: { queue: 3, bulk: 50_000 } });
    await stage.call('enqueueSend', { body: sendRequest() });
    expect(stage.countedQueues).toBe(1);
  });

  it('fails if the queues cannot be counted, as the request itself would', async () => {
    await stage.receive(wireMessage());
    stage.isQueueUnavailable = true;

    await expect(dryRun(sendRequest())).rejects.toThrow('The queue is unavailable.');
  });

  it.each([
    ['dryrun', 'true'],
    ['dryRun', 'yes'],
  ])('refuses %s=%s, which could otherwise send', async (name, value) => {
    const query = { [name]: value };
    expect((await stage.call('enqueueSend', { query, body: sendRequest() })).status).toBe(400);
    expect(stage.queued).toEqual([]);
  });

  it.each([
    ['malformed', { messageText: 7 }],
    ['too far ahead', { sendAt: '2028-01-01T00:00:00Z' }],
  ])('refuses a request that is %s as without it', async (_case, changes) => {
    const { status, body } = await dryRun({ ...sendRequest(), ...changes });
    expect([status, body]).toEqual([400, expect.objectContaining({ code: 'INVALID_REQUEST' })]);
  });
});
