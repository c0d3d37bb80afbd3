import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listenLocally } from '../../../local/base/listen-locally.ts';
import { selfSignedCertificate } from '../../support/self-signed-certificate.ts';
import { CERTIFICATE_URL, signSns, snsConfirmation, TOPIC } from '../../support/signed-requests.ts';
import { startAlarmStage } from './alarm-stage.ts';
import { type AlarmScenario, runScenario } from './run-scenario.ts';

// The certificates of Amazon SNS come from AWS's own hosts only. The process of `receive` downloads the certificate of
// this test instead; everything else is the stage's.

const DAY_MS = 24 * 60 * 60 * 1000;
const { pem, privateKey } = selfSignedCertificate(new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS));

/** The module that replaces the download in the process of `receive`. */
const replacement = (url: string): string => `
  import http from 'node:http';
  import https from 'node:https';
  const original = https.get;
  https.get = (address, ...rest) =>
    String(address) === ${JSON.stringify(CERTIFICATE_URL)}
      ? http.get(${JSON.stringify(url)}, ...rest)
      : original(address, ...rest);
`;

const WEBHOOK_UNSUBSCRIBED: AlarmScenario = {
  alarm: 'WebhookUnsubscribed',
  async inject({ post }) {
    const message = signSns(snsConfirmation({ Type: 'UnsubscribeConfirmation' }), privateKey);
    expect(await post(message, { headers: {} })).toBe(200);
  },
};

it('the alarm of Amazon SNS starts when the topic unsubscribes the webhook, and ends with the runbook', async () => {
  await using server = await listenLocally(createServer((_request, response) => response.end(pem)));
  await using folder = await mkdtempDisposable(join(tmpdir(), 'parley-sns-'));
  const module = join(folder.path, 'certificate.mjs');
  await writeFile(module, replacement(server.url));
  await using stage = await startAlarmStage({
    settings: { webhook: { auth: { kind: 'sns', topicArn: TOPIC } } },
    receiveVariables: { NODE_OPTIONS: `--import=${module}` },
  });

  await runScenario(stage, WEBHOOK_UNSUBSCRIBED);
});
