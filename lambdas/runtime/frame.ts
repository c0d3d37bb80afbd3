import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { Metrics as PowertoolsMetrics } from '@aws-lambda-powertools/metrics';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import middy, { type MiddlewareObj } from '@middy/core';
import type { Context } from 'aws-lambda';
import { summarizeError } from '../domain/describe-error.ts';
import type { Log, Metrics } from '../ports.ts';
import { LoggableFormatter } from './log-formatter.ts';

/** A function's logs and metrics, and the middlewares that every handler is framed with. */
export interface Telemetry {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly middlewares: readonly MiddlewareObj[];
}

/**
 * Creates structured logs and CloudWatch metrics. The metrics use the embedded metric format, so they need no API call.
 * Service name, namespace, and log level come from the environment variables that Powertools reads.
 */
export const createTelemetry = (): Telemetry => {
  const logger = new Logger({ logFormatter: new LoggableFormatter() });
  // An invocation that counts nothing is normal; Powertools would log a warning for each.
  const metrics = new PowertoolsMetrics({ logger: { ...console, warn: () => undefined } });
  return {
    log: logger,
    metrics: {
      count(name, dimensions) {
        if (dimensions === undefined) {
          metrics.addMetric(name, 'Count', 1);
          return;
        }
        // Dimensions apply to every metric in a log line, so this metric gets its own line.
        const single = metrics.singleMetric();
        single.addDimensions({ ...dimensions });
        single.addMetric(name, 'Count', 1);
      },
      record(name, value) {
        metrics.singleMetric().addMetric(name, 'None', value);
      },
    },
    // Never logs the event, even if Powertools' environment variable for it is set.
    middlewares: [hideErrors(logger), injectLambdaContext(logger, { logEvent: false }), logMetrics(metrics)],
  };
};

/** The invocation failed; its log line gives the reason. Lambda logs and returns this error's message and stack. */
class InvocationFailedError extends Error {
  override readonly name = 'InvocationFailedError';
}

/** Logs an error that no other middleware answered. Replaces it, because Lambda's runtime would log its message. */
const hideErrors = (log: Log): MiddlewareObj => ({
  onError(request) {
    if (request.response !== undefined) return;
    const { error } = request;
    log.error('invocation failed', { error });
    request.error = new InvocationFailedError(`The invocation failed: ${summarizeError(error)}.`);
  },
});

/** What a handler needs to know about its invocation. */
export type Invocation = Pick<Context, 'getRemainingTimeInMillis'>;

export type Handler<Event, Result> = (event: Event, context: Context) => Promise<Result>;

/**
 * Frames a handler with middlewares, of which the first is the outermost.
 *
 * Early timeouts are off: rejecting before Lambda ends the invocation would leave the process alive, and a call to the
 * chat service that was frozen with it could be written after its lease has expired.
 */
export const frame = <Event, Result>(
  handler: (event: Event, context: Invocation) => Promise<Result>,
  middlewares: readonly MiddlewareObj<Event, Result>[],
): Handler<Event, Result> =>
  middy<Event, Result>({ timeoutEarlyInMillis: 0 })
    .use([...middlewares])
    .handler((event: Event, context: Context) => handler(event, context));
