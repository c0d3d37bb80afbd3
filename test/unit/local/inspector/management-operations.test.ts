import { describe, expect, it } from 'vitest';
import { type ManagementClient, ManagementError } from '../../../../cli/operations/management-client.ts';
import { createManagementOperations } from '../../../../local/inspector/management-operations.ts';

const USER = '+5491155550001';
const CONTACT = {
  platformContactId: USER,
  chatPlatform: 'chat',
  window: { open: true },
  consent: { state: 'opted-out', at: '2026-11-21T10:00:00.000Z', origin: 'user', source: 'keyword STOP' },
  consents: [],
  handover: { state: 'people', since: '2026-11-21T10:00:00.000Z', operatorWroteAt: '2026-11-21T10:00:00.000Z' },
};
const STAGE = { circuitBreaker: { state: 'closed' }, sending: { state: 'running' } };

/** A management API that answers every call, or fails it. */
const anApi = (answer: unknown) => {
  const calls: unknown[] = [];
  const api: ManagementClient = async (...call) => {
    calls.push(call);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { api, calls };
};

describe('a contact', () => {
  it('is shown with its consent and who answers it', async () => {
    const { api, calls } = anApi(CONTACT);

    expect(await createManagementOperations(api).contact(USER)).toEqual({
      consent: CONTACT.consent,
      window: CONTACT.window,
      handover: { state: 'people', since: '2026-11-21T10:00:00.000Z' },
    });
    expect(calls).toEqual([['GET', `/v1/contacts/${encodeURIComponent(USER)}`]]);
  });

  it.each([
    ['..', '/v1/contacts/-?platformContactId=..'],
    ['web?1', '/v1/contacts/-?platformContactId=web%3F1'],
  ])('is found as by the command if its id is %s', async (id, path) => {
    const { api, calls } = anApi(CONTACT);

    await createManagementOperations(api).contact(id);
    expect(calls).toEqual([['GET', path]]);
  });

  it('is undefined if nothing is recorded', async () => {
    const { api } = anApi(new ManagementError(404, 'CONTACT_NOT_FOUND', 'There is no contact.'));

    expect(await createManagementOperations(api).contact(USER)).toBeUndefined();
  });

  it.each([
    ['handOver', '/v1/handovers'],
    ['handBack', '/v1/handbacks'],
  ] as const)('is changed by %s as by the command', async (action, path) => {
    const { api, calls } = anApi(CONTACT);

    expect(await createManagementOperations(api)[action](USER)).toMatchObject({ kind: 'changed' });
    expect(calls).toEqual([['POST', path, { platformContactId: USER }]]);
  });

  it('stays as it is if the stage has no handovers', async () => {
    const { api } = anApi(new ManagementError(409, 'HANDOVERS_OFF', 'Handovers are off in this stage.'));

    expect(await createManagementOperations(api).handOver(USER)).toEqual({
      kind: 'refused',
      status: 409,
      message: 'Handovers are off in this stage.',
    });
  });
});

describe('a dry run', () => {
  const decision = {
    at: '2026-11-21T10:00:00.000Z',
    decision: 'refused',
    code: 'OPTED_OUT',
    why: 'STOP.',
    known: true,
    backlog: { queue: 0 },
  };

  it('returns the decision, what makes requests wait, and how many are queued', async () => {
    const backlog = { queue: 2, bulk: 40 };
    const { api, calls } = anApi({ ...decision, ...STAGE, backlog });

    expect(await createManagementOperations(api).dryRun({ requestId: 'r' })).toEqual({
      kind: 'decided',
      decision: { decision: 'refused', code: 'OPTED_OUT', why: 'STOP.', ...STAGE, backlog },
    });
    expect(calls).toEqual([['POST', '/v1/sends?dryRun=true', { requestId: 'r' }]]);
  });

  it("returns the API's sentence for a request that is malformed", async () => {
    const { api } = anApi(new ManagementError(400, 'INVALID_REQUEST', 'Not a send request: since is missing.'));

    expect(await createManagementOperations(api).dryRun({})).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('since'),
    });
  });

  it.each([
    [0, 'http://127.0.0.1:1 does not respond'],
    [503, 'http://127.0.0.1:1 returned 503 for POST /v1/sends'],
  ])('says that the API cannot decide with the status %d', async (status, message) => {
    const { api } = anApi(new ManagementError(status, 'UNREACHABLE', message));

    expect(await createManagementOperations(api).dryRun({})).toEqual({
      kind: 'unavailable',
      message: `The management API cannot decide now: ${message}.`,
    });
  });
});
