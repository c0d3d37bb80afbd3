import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BUNDLED_PACKAGES } from './bundled-packages.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** What opens a connection itself, instead of through a client of the AWS SDK. DynamoDB, EventBridge, and Secrets Manager
 * have clients of Parley's own. */
const CONNECTION =
  /\bfetch\(|\bnew NodeHttpHandler\(|['"](?:node:)?(?:https?|http2|net|tls|dgram|dns)(?:\/promises)?['"]|\bWebSocket\b/;

/** The AWS services that each function calls, by the client in its bundle. */
const clientsOf = (name: string): readonly string[] =>
  (BUNDLED_PACKAGES[name] ?? []).flatMap((bundled) => /^@aws-sdk\/client-(.*)$/.exec(bundled)?.[1] ?? []).toSorted();

describe('the functions', () => {
  it("connect only to AWS, to the chat service, and to the issuer of a webhook request's key or certificate", () => {
    const connecting = globSync('lambdas/**/*.ts', { cwd: ROOT }).filter((file) =>
      CONNECTION.test(readFileSync(join(ROOT, file), 'utf8')),
    );
    expect(connecting.toSorted()).toEqual([
      'lambdas/adapters/aws-json-client.ts',
      'lambdas/adapters/chat-service/http-post.ts',
      'lambdas/receive/auth/http-get.ts',
    ]);
  });

  it('have only the clients of the AWS services that they call', () => {
    const clients = Object.fromEntries(Object.keys(BUNDLED_PACKAGES).map((name) => [name, clientsOf(name)]));
    expect(clients).toEqual({
      manage: ['scheduler', 'sqs'],
      publish: ['sqs'],
      receive: ['sqs'],
      send: ['scheduler', 'sqs'],
    });
  });
});
