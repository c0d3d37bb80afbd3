import type { Context, ErrorHandler, MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { Inspector, Refused } from '../base/inspector.ts';
import { errorBody } from './read-request.ts';

/** The environment of the inspector's routes. */
export interface Inspected {
  Variables: { inspector: Inspector };
}

/** Passes the inspector to the routes after it. In a sandbox without an inspector, they return 404. */
export const findInspector =
  (getInspector: () => Inspector | undefined): MiddlewareHandler<Inspected> =>
  async (context, next) => {
    const inspector = getInspector();
    if (inspector === undefined) return context.json(errorBody(404, 'This sandbox has no inspector.'), 404);
    context.set('inspector', inspector);
    return next();
  };

/** Turns a failure of the inspector into 502. */
export const inspectorFailed: ErrorHandler = (error) => {
  throw new HTTPException(502, { message: `The inspector failed: ${sentenceOf(error)}`, cause: error });
};

/** Some errors, such as those of refused connections, have no message. */
const sentenceOf = ({ name, message }: Error): string => (message || name).replace(/\.?$/, '.');

/** Why there is nothing to do with the queue for bulk requests. */
export const NO_BULK_LANE: Refused = {
  kind: 'refused',
  status: 409,
  message: 'The stage has no queue for bulk requests. Set sends.bulkLane in its settings.',
};

/** Answers an action that the inspector refused. */
export const refusedAnswer = (context: Context, { status, message }: Refused): Response =>
  context.json(errorBody(status, message), status);
