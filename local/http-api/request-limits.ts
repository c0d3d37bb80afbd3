import type { IncomingMessage } from 'node:http';

/**
 * The limit of HTTP and REST APIs. Sources:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html and
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
 */
const BODY_LIMIT_BYTES = 10 * 1024 * 1024;

/** Reads the body. Returns undefined if it is too large. */
export const readBody = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    // Reads even a body that is too large to its end, so that the client gets a response and not a broken connection.
    if (bytes <= BODY_LIMIT_BYTES) chunks.push(chunk);
  }
  return bytes > BODY_LIMIT_BYTES ? undefined : Buffer.concat(chunks);
};

/** Returns the result of an integration, or undefined if it takes longer than its timeout. */
export const withTimeout = async <Result>(timeoutMs: number, result: Promise<Result>): Promise<Result | undefined> => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, timeoutMs, undefined);
  try {
    return await Promise.race([result, promise]);
  } finally {
    clearTimeout(timer);
  }
};
