import type { Context } from 'hono';
import type { Inspector, Refused } from '../inspector.ts';
import { errorBody } from './read-request.ts';

type Handler = (context: Context) => Response | Promise<Response>;
type InspectorHandler = (context: Context, inspector: Inspector) => Response | Promise<Response>;

/** Makes a route's handler from one that needs the inspector. */
export type WithInspector = (answer: InspectorHandler) => Handler;

/** The routes of a sandbox without an inspector return 404. */
export const createWithInspector =
  (getInspector: () => Inspector | undefined): WithInspector =>
  (answer) =>
  (context) => {
    const inspector = getInspector();
    if (inspector !== undefined) return answer(context, inspector);
    return context.json(errorBody(404, 'This sandbox has no inspector.'), 404);
  };

/** Answers an action that the inspector refused. */
export const refusedAnswer = (context: Context, { status, message }: Refused): Response =>
  context.json(errorBody(status, message), status);
