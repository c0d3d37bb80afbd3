import { describe, expect, test } from 'vitest';
import { anIntent, aRule, startTestSandbox, USER, userPath } from '../../support/running-sandbox.ts';

const accepted = { status: 200, body: { id: expect.any(String), problems: null } };

describe('POST /api/v1.0/intent/v2', () => {
  test('sends an approved template outside the window, with variables (contract, "Activate a rule")', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.control('PUT /rules/table_ready', aRule({ imageURL: 'https://media.example/table.png' }));

    const answer = await sandbox.api('/intent/v2', anIntent());

    expect(answer).toMatchObject(accepted);
    expect((await sandbox.control('GET /outbox')).body).toMatchObject({
      messages: [
        {
          endpoint: 'intent/v2',
          body: anIntent(),
          content: { messageText: 'Hello Ana, table 7 is ready.', imageURL: 'https://media.example/table.png' },
        },
      ],
    });
  });

  test.each(['pending', 'rejected'])(
    'refuses a template that is %s outside the window, and sends it within the window',
    async (status) => {
      const sandbox = await startTestSandbox();
      await sandbox.control('PUT /rules/table_ready', aRule({ status }));

      const outside = await sandbox.api('/intent/v2', anIntent());
      await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });
      const within = await sandbox.api('/intent/v2', anIntent());

      expect(outside).toMatchObject({ status: 403, body: { error: { code: 602 } } });
      expect(within).toMatchObject(accepted);
    },
  );

  test('finds a rule by its identifier, which a replacement keeps (contract: "Name or identifier")', async () => {
    const sandbox = await startTestSandbox();
    const rule = await sandbox.control('PUT /rules/table_ready', aRule({ status: 'pending' }));
    await sandbox.control('PUT /rules/table_ready', aRule());

    const answer = await sandbox.api('/intent/v2', anIntent({ ruleNameOrId: Object(rule.body).id }));

    expect(answer).toMatchObject(accepted);
  });

  test('refuses an unknown rule', async () => {
    const sandbox = await startTestSandbox();

    const answer = await sandbox.api('/intent/v2', anIntent());

    expect(answer).toMatchObject({
      status: 422,
      body: { error: { code: 601, message: 'Rule or template "table_ready" does not exist.' } },
    });
  });

  test('refuses missing variables and names them (contract: "Values for the variables")', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.control('PUT /rules/table_ready', aRule());

    const one = await sandbox.api('/intent/v2', anIntent({ params: { name: 'Ana' } }));
    const all = await sandbox.api('/intent/v2', anIntent({ params: undefined }));

    expect(one).toMatchObject({
      status: 400,
      body: { error: { code: 603, message: 'params needs a non-empty value for: table.' } },
    });
    expect(all.body).toMatchObject({ error: { message: 'params needs a non-empty value for: name, table.' } });
  });

  test.each(['', ' ', '\n\t', '\u00a0'])('refuses the value %j for a variable, as chat platforms do', async (value) => {
    const sandbox = await startTestSandbox();
    await sandbox.control('PUT /rules/table_ready', aRule());

    const outside = await sandbox.api('/intent/v2', anIntent({ params: { name: value, table: '7' } }));
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });
    const within = await sandbox.api('/intent/v2', anIntent({ params: { name: value, table: value } }));

    expect(outside).toMatchObject({
      status: 400,
      body: { error: { code: 603, message: 'params needs a non-empty value for: name.' } },
    });
    expect(within.body).toMatchObject({
      error: { code: 603, message: 'params needs a non-empty value for: name, table.' },
    });
    expect((await sandbox.control('GET /outbox')).body).toEqual({ messages: [] });
  });

  test('accepts an empty value that the rule does not use', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.control('PUT /rules/table_ready', aRule());

    const answer = await sandbox.api('/intent/v2', anIntent({ params: { name: 'Ana', table: '7', note: '' } }));

    expect(answer).toMatchObject(accepted);
  });

  test('takes no value from the properties that every object inherits', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.control('PUT /rules/odd', aRule({ text: '${constructor}' }));

    const answer = await sandbox.api('/intent/v2', anIntent({ ruleNameOrId: 'odd', params: {} }));

    expect(answer).toMatchObject({ status: 400, body: { error: { code: 603 } } });
  });

  test('charges credit for a template as for a message', async () => {
    const sandbox = await startTestSandbox({ credit: 1 });
    await sandbox.control('PUT /rules/table_ready', aRule());

    const paid = await sandbox.api('/intent/v2', anIntent());
    const unpaid = await sandbox.api('/intent/v2', anIntent());

    expect(paid).toMatchObject(accepted);
    expect(unpaid).toMatchObject({ status: 403, body: { error: { code: 101, message: 'Insufficient credit' } } });
  });
});
