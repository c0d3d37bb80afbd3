import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  aMessage,
  anIntent,
  aRule,
  type RunningSandbox,
  startTestSandbox,
  USER,
  userPath,
} from '../../support/running-sandbox.ts';

const NEW_NUMBER = '+541144440000';

/** Returns a grey PNG of this size. */
const png = (width: number, height: number): Buffer => {
  const chunk = (type: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.byteLength);
    sum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(8, 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc((width + 1) * height))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

const aProfile = (changes: Record<string, unknown> = {}) => ({
  about: 'We answer from 9 to 18.',
  address: '1 Main Street',
  businessDescription: 'A restaurant',
  category: 'Restaurant',
  contactEmail: 'hello@restaurant.example',
  website: 'https://restaurant.example',
  photo: png(192, 192).toString('base64'),
  ...changes,
});

const aRequest = (changes: Record<string, unknown> = {}) => ({
  businessAccountId: '1234567890',
  numbers: [{ kind: 'landline', number: NEW_NUMBER }],
  profile: aProfile(),
  ...changes,
});

const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();

const requestApproval = (sandbox: RunningSandbox, changes: Record<string, unknown> = {}) =>
  sandbox.control('POST /account/approval', aRequest(changes));

const startPending = () => startTestSandbox({ approved: false });

describe('while approval is pending', () => {
  test('the sandbox answers users who wrote but cannot write first (contract, "Rules of use" 1)', async () => {
    const sandbox = await startPending();
    await sandbox.control('PUT /rules/table_ready', aRule());
    await requestApproval(sandbox);

    const first = await sandbox.api('/intent/v2', anIntent());
    await sandbox.control(`POST ${userPath(USER)}/messages`, { text: 'Hello' });
    const answer = await sandbox.api('/message/v3', aMessage());
    const fromNewNumber = await sandbox.api('/message/v3', aMessage({ chatChannelNumber: NEW_NUMBER }));

    expect((await sandbox.control('GET /account')).body).toMatchObject({ approved: false, mode: 'sandbox' });
    expect(first).toMatchObject({ status: 403, body: { error: { code: 301 } } });
    expect(answer).toMatchObject({ status: 200 });
    expect(fromNewNumber).toMatchObject({ body: { error: { code: 304 } } });
  });

  test('approval, a one-time step, activates numbers and profile (contract, "Rules of use" 1 and 4)', async () => {
    const sandbox = await startPending();
    await sandbox.control('PUT /rules/table_ready', aRule());

    const pending = await requestApproval(sandbox);
    const approved = await sandbox.control('PATCH /account', { approved: true });
    const first = await sandbox.api('/intent/v2', anIntent({ chatChannelNumber: NEW_NUMBER }));
    const again = await requestApproval(sandbox);

    expect(pending).toMatchObject({
      status: 202,
      body: { approved: false, application: { businessAccountId: '1234567890', numbers: [NEW_NUMBER] } },
    });
    expect(approved.body).toMatchObject({
      approved: true,
      mode: 'live',
      application: null,
      profile: { about: 'We answer from 9 to 18.' },
    });
    expect(first).toMatchObject({ status: 200 });
    expect(again).toMatchObject({ status: 409 });
  });

  test('a refusal removes the request, and a new one can follow', async () => {
    const sandbox = await startPending();
    await requestApproval(sandbox);

    const refused = await sandbox.control('PATCH /account', { approved: false });
    const again = await requestApproval(sandbox);

    expect(refused.body).toMatchObject({ approved: false, application: null });
    expect(again).toMatchObject({ status: 202 });
  });
});

describe('approval requires', () => {
  test.each<[string, Record<string, unknown>]>([
    ['businessAccountId', { businessAccountId: undefined }],
    ['numbers', { numbers: [] }],
    ...['about', 'address', 'businessDescription', 'category', 'contactEmail', 'website', 'photo'].map(
      (field): [string, Record<string, unknown>] => [`profile.${field}`, { profile: aProfile({ [field]: undefined }) }],
    ),
    ['profile.contactEmail', { profile: aProfile({ contactEmail: 'nobody' }) }],
    ['profile.website', { profile: aProfile({ website: 'restaurant' }) }],
  ])('%s (contract, "Rules of use" 4 and "Limits")', async (field, changes) => {
    const sandbox = await startPending();

    const answer = await requestApproval(sandbox, changes);

    expect(answer).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining(field) } } });
  });

  test.each([
    [png(191, 191), 'at least 192 by 192 pixels; this one is 191 by 191'],
    [png(400, 300), 'must be square; this one is 400 by 300'],
    [Buffer.from('GIF89a'), 'not a PNG or JPEG'],
    [png(192, 192).subarray(0, 12), 'not a PNG or JPEG'],
  ])(
    'a square photo of at least 192 by 192 pixels, judged by its bytes (contract, "Limits") %#',
    async (photo, sentence) => {
      const sandbox = await startPending();

      const answer = await requestApproval(sandbox, { profile: aProfile({ photo: photo.toString('base64') }) });

      expect(answer).toMatchObject({
        status: 422,
        body: { error: { code: 801, message: expect.stringContaining(sentence) } },
      });
    },
  );

  test('a landline, or a mobile number without the platform for six months (contract, "Rules of use" 6)', async () => {
    const sandbox = await startPending();
    const mobile = (platformLastInstalledAt: string | null) => ({
      numbers: [{ kind: 'mobile', number: '+5491144440001', platformLastInstalledAt }],
    });

    const answers = [
      await requestApproval(sandbox, mobile(daysAgo(181 - 30))),
      await requestApproval(sandbox, mobile(daysAgo(185))),
      await requestApproval(sandbox, mobile(null)),
    ];

    expect(answers.map(({ status }) => status)).toEqual([422, 202, 202]);
    expect(answers[0]?.text).toContain('numbers.0: a mobile number is accepted only if');
  });

  test.each([
    ['AR', 202, '+54'],
    ['BR', 202, '+55'],
    ['MX', 422, 'only for AR and BR'],
  ])(
    'a supported country for supplied numbers: %s returns %i (contract, "Rules of use" 5: Argentina and Brazil)',
    async (country, status, text) => {
      const sandbox = await startPending();

      const answer = await requestApproval(sandbox, { numbers: [{ kind: 'supplied', country }] });

      expect(answer).toMatchObject({ status });
      expect(answer.text).toContain(text);
    },
  );

  test('one or several numbers (contract, "Rules of use" 4: "several may separate languages")', async () => {
    const sandbox = await startPending();
    const numbers = [
      { kind: 'supplied', country: 'AR' },
      { kind: 'supplied', country: 'AR' },
      { kind: 'landline', number: NEW_NUMBER },
    ];

    await requestApproval(sandbox, { numbers });
    await sandbox.control('PATCH /account', { approved: true });

    const { chatChannelNumbers } = Object((await sandbox.control('GET /state')).body);
    expect(new Set(chatChannelNumbers).size).toBe(5);
  });
});

test('only the central circle of the photo is displayed (contract, "Limits")', async () => {
  const sandbox = await startPending();
  const before = await sandbox.control('GET /account/photo.svg');
  await requestApproval(sandbox);
  await sandbox.control('PATCH /account', { approved: true });

  const answer = await sandbox.control('GET /account/photo.svg');

  expect(before.status).toBe(404);
  expect(answer.headers.get('content-type')).toBe('image/svg+xml');
  expect(answer.text).toContain('clip-path="circle(96px)"');
  expect(answer.text).toContain(png(192, 192).toString('base64'));
});
