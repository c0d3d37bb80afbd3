/**
 * Calls the management API. Each call is signed with AWS Signature Version 4, with the credentials that every AWS SDK
 * finds: environment variables, a profile, or the role of a function or container.
 *
 * Needs MANAGEMENT_URL, AWS_REGION, and in an account `execute-api:Invoke` on the route. See examples/README.md.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';

const MAX_ATTEMPTS = 4;
const TIMEOUT_MS = 30_000;

const signer = new SignatureV4({
  service: 'execute-api',
  region: process.env.AWS_REGION ?? 'us-east-1',
  credentials: defaultProvider(),
  sha256: Sha256,
});

/**
 * Calls a route and returns the parsed response. Retries if the API is throttled or fails, so use it only for calls that
 * are safe to repeat, as all calls in these examples are.
 *
 * @throws Error with the status, the code, and the message of any other error response
 */
export const callManagementApi = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> => {
  const url = new URL(`${process.env.MANAGEMENT_URL}${path}`);
  const request = {
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { host: url.host, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
  for (let attempt = 1; ; attempt += 1) {
    // Signed for each attempt, because a signature is valid for five minutes.
    const { headers } = await signer.sign(request);
    const response = await fetch(url, {
      method,
      headers,
      body: request.body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.ok) return response.json();
    const isRetried = response.status === 429 || response.status >= 500;
    if (!isRetried || attempt === MAX_ATTEMPTS) {
      throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`);
    }
    await pause(Math.random() * 200 * 2 ** attempt);
  }
};
