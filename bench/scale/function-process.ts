import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';

/*
 * Runs in a process of its own, so that its processor time is the function's alone: calls a bundled handler with one batch
 * of events after another.
 */

/** A batch of webhook requests. */
export interface Batch {
  readonly headers: Readonly<Record<string, string>>;
  readonly bodies: readonly string[];
}

export interface BatchResult {
  /** The processor time of the whole batch. */
  readonly cpuMs: number;
  readonly latenciesMs: readonly number[];
  /** How many requests were answered with another status than 200. */
  readonly errors: number;
}

type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

const { handler }: { readonly handler: Handler } = await import(process.argv[2] ?? '');

process.on('message', async ({ headers, bodies }: Batch) => {
  const latenciesMs: number[] = [];
  let errors = 0;
  const before = process.cpuUsage();
  for (const body of bodies) {
    const request = { headers, body, isBase64Encoded: false };
    const startMs = performance.now();
    // The handler reads nothing else of its event.
    const { statusCode } = await handler(request as unknown as APIGatewayProxyEventV2, {} as Context);
    latenciesMs.push(performance.now() - startMs);
    if (statusCode !== 200) errors += 1;
  }
  const { user, system } = process.cpuUsage(before);
  process.send?.({ cpuMs: (user + system) / 1000, latenciesMs, errors } satisfies BatchResult);
});
process.on('disconnect', () => process.exit());
