import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { replaceInternet } from '../support/replaced-internet.ts';
import { selfSignedCertificate } from '../support/self-signed-certificate.ts';
import { CERTIFICATE_URL, signSns, snsConfirmation, TOPIC } from '../support/signed-requests.ts';
import { alarmMetrics, loggedMetrics, shownMetrics } from '../support/stack-metrics.ts';
import { synthesizedStack } from '../unit/lib/synthesized-stack.ts';

// The certificates of Amazon SNS come from AWS's own hosts only, so no local run can make a signed request. The function
// runs here as its entry wires it, with the variables of the template, and only the certificate's download is replaced.

const { template } = synthesizedStack('dev', { webhook: { auth: { kind: 'sns', topicArn: TOPIC } } });
const HOUR_MS = 3_600_000;
const { pem, privateKey } = selfSignedCertificate(new Date(Date.now() - HOUR_MS), new Date(Date.now() + HOUR_MS));

const deployed = z
  .object({ WEBHOOK_AUTH: z.string() })
  .catchall(z.union([z.string(), z.record(z.string(), z.unknown())]));

/** The function's variables in the template. What AWS would fill in is a placeholder. */
const variables = (): Readonly<Record<string, string>> => {
  const found = Object.values(template.findResources('AWS::Lambda::Function')).map(({ Properties }) =>
    deployed.safeParse(Properties.Environment?.Variables),
  );
  const receive = found.find(({ success }) => success)?.data ?? {};
  return Object.fromEntries(
    Object.entries(receive).map(([name, value]) => [name, typeof value === 'string' ? value : 'https://aws.example/x']),
  );
};

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe('the alarm of a stage with Amazon SNS', () => {
  it('uses the metric that receive emits when its subscription is removed', async () => {
    const lambda = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
    for (const [name, value] of Object.entries({ ...variables(), ...lambda })) vi.stubEnv(name, value);
    const fetched: string[] = [];
    await using _internet = await replaceInternet((url) => {
      fetched.push(url);
      return { body: pem };
    });
    let output = '';
    for (const stream of [process.stdout, process.stderr]) {
      vi.spyOn(stream, 'write').mockImplementation((chunk) => {
        output += String(chunk);
        return true;
      });
    }
    const { handler } = await import('../../lambdas/receive/entry.ts');
    const message = signSns(snsConfirmation({ Type: 'UnsubscribeConfirmation' }), privateKey);
    const event = { headers: {}, body: JSON.stringify(message), isBase64Encoded: false };
    // The handler and its middlewares read nothing else.
    const answer = await handler(event as unknown as APIGatewayProxyEventV2, {} as Context);
    vi.restoreAllMocks();

    expect(answer).toMatchObject({ statusCode: 200 });
    expect(fetched).toEqual([CERTIFICATE_URL]);
    const watched = alarmMetrics(template).filter(([logicalId]) => logicalId.includes('WebhookUnsubscribed'));
    expect(watched).toHaveLength(1);
    const emitted = loggedMetrics(output);
    expect(emitted).toEqual(watched.map(([, metric]) => metric));
    expect(emitted.filter((metric) => !shownMetrics(template).has(metric))).toEqual([]);
  });
});
