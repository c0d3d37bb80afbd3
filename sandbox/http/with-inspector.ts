import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { Inspector, Refused } from '../base/inspector.ts';
import { errorBody } from './read-request.ts';

type Handler = (context: Context) => Response | Promise<Response>;
type InspectorHandler = (context: Context, inspector: Inspector) => Response | Promise<Response>;

/** Wraps a route handler that needs the inspector. */
export type WithInspector = (answer: InspectorHandler) => Handler;

/** The routes of a sandbox without an inspector return 404. A failure of the inspector returns 502. */
export const createWithInspector =
  (getInspector: () => Inspector | undefined): WithInspector =>
  (answer) =>
  async (context) => {
    const inspector = getInspector();
    if (inspector === undefined) return context.json(errorBody(404, 'This sandbox has no inspector.'), 404);
    try {
      return await answer(context, inspector);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      throw new HTTPException(502, { message: `The inspector failed: ${sentenceOf(error)}`, cause: error });
    }
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
