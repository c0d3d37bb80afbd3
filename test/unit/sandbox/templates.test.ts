import { describe, expect, test } from 'vitest';
import { anIntent, aRule, startTestSandbox, USER, userPath } from '../../support/running-sandbox.ts';

const accepted = { status: 200, body: { id: expect.any(String) } };
const aTemplate = (changes: Record<string, unknown> = {}) => ({
  text: 'Hello ${name}, table ${table} is ready.',
  category: 'reservation',
  ...changes,
});

describe('a template', () => {
  test('is submitted, and approval creates a rule with its name (contract, "Activate a rule")', async () => {
    const sandbox = await startTestSandbox();

    const submitted = await sandbox.control('PUT /templates/table_ready', aTemplate());
    const whilePending = await sandbox.api('/intent/v2', anIntent());
    const decided = await sandbox.control('POST /templates/table_ready/decision', { approve: true });
    const whenApproved = await sandbox.api('/intent/v2', anIntent());
    const decidedAgain = await sandbox.control('POST /templates/table_ready/decision', { approve: false });

    expect(submitted).toMatchObject({ status: 202, body: { name: 'table_ready', status: 'pending', why: null } });
    expect(whilePending).toMatchObject({ status: 422, body: { error: { code: 601 } } });
    expect(decided).toMatchObject({ status: 200, body: { status: 'approved' } });
    expect(whenApproved).toMatchObject(accepted);
    expect(decidedAgain).toMatchObject({ status: 409, body: { error: { code: 409 } } });
  });

  test('creates no rule if it is rejected; a new submission keeps the rule of an earlier approval', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.control('PUT /templates/table_ready', aTemplate());
    const rejected = await sandbox.control('POST /templates/table_ready/decision', {
      approve: false,
      why: 'Too short.',
    });
    const none = await sandbox.api('/intent/v2', anIntent());
    await sandbox.control('PUT /templates/table_ready', aTemplate());
    await sandbox.control('POST /templates/table_ready/decision', { approve: true });
    await sandbox.control('PUT /templates/table_ready', aTemplate({ text: 'Something else' }));

    const answer = await sandbox.api('/intent/v2', anIntent());

    expect(rejected.body).toMatchObject({ status: 'rejected', why: 'Too short.' });
    expect(none).toMatchObject({ status: 422 });
    expect(answer).toMatchObject(accepted);
    expect((await sandbox.control('GET /outbox')).body).toMatchObject({
      messages: [{ content: { messageText: 'Hello Ana, table 7 is ready.' } }],
    });
  });

  test.each(['advertising', 'sales', 'Reservation', ''])(
    'is rejected with the category %j (contract, "Rules of use" 3: "Advertising and sales messages are not permitted")',
    async (category) => {
      const sandbox = await startTestSandbox();

      const submitted = await sandbox.control('PUT /templates/table_ready', aTemplate({ category }));
      const decided = await sandbox.control('POST /templates/table_ready/decision', { approve: true });

      expect(submitted.body).toMatchObject({ status: 'rejected', why: expect.stringContaining('not permitted') });
      expect(decided).toMatchObject({ status: 409, body: { error: { code: 409 } } });
    },
  );

  test.each([
    'account-update',
    'appointment',
    'activity',
    'payment',
    'reservation',
    'shipping-status',
    'ticket-change',
    'transport',
    'similar',
  ])('can be approved with the category %s (contract, "Rules of use" 3: the approved kinds)', async (category) => {
    const sandbox = await startTestSandbox();

    await sandbox.control('PUT /templates/table_ready', aTemplate({ category }));
    const decided = await sandbox.control('POST /templates/table_ready/decision', { approve: true });

    expect(decided.body).toMatchObject({ status: 'approved', category });
    expect((await sandbox.control('GET /templates')).body).toMatchObject({ templates: [{ name: 'table_ready' }] });
  });

  test('cannot be decided on before it is submitted', async () => {
    const sandbox = await startTestSandbox();

    expect(await sandbox.control('POST /templates/unknown/decision', { approve: true })).toMatchObject({ status: 404 });
  });
});

describe('writing first', () => {
  test('requires an opt-in, or an earlier message from the user (contract, "Rules of use" 2)', async () => {
    const sandbox = await startTestSandbox({ optInRequired: true });
    await sandbox.control('PUT /rules/table_ready', aRule());
    await sandbox.control(`POST ${userPath('+5491155550009')}/messages`, { text: 'Hello' });
    await sandbox.control('POST /clock', { advanceSeconds: 100_000 });

    const without = await sandbox.api('/intent/v2', anIntent());
    await sandbox.control(`PATCH ${userPath(USER)}`, { optIn: true });
    const withOptIn = await sandbox.api('/intent/v2', anIntent());
    const afterWriting = await sandbox.api('/intent/v2', anIntent({ platformContactId: '+5491155550009' }));

    expect(without).toMatchObject({ status: 403, body: { error: { code: 203 } } });
    expect(withOptIn).toMatchObject(accepted);
    expect(afterWriting).toMatchObject(accepted);
  });

  test('requires an approved reason, which is the category of the rule (contract, "Rules of use" 3)', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.control('PUT /rules/table_ready', aRule({ category: undefined }));

    const first = await sandbox.api('/intent/v2', anIntent());
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });
    const answering = await sandbox.api('/intent/v2', anIntent());

    expect(first).toMatchObject({ status: 403, body: { error: { code: 604 } } });
    expect(answering).toMatchObject(accepted);
  });
});
