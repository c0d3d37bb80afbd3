import type { MiddlewareHandler } from 'hono';
import { errorForm } from '../http/error-form.ts';

const OWN_HOST = /^(127\.0\.0\.1|localhost)(:\d+)?$/;

/**
 * Refuses what another site's page asks for in the user's browser, be it by its own name or by a name that it points
 * to this machine.
 */
export const onlyThisMachine: MiddlewareHandler = async (context, next) => {
  const host = context.req.header('host') ?? '';
  const origin = context.req.header('origin');
  if (!OWN_HOST.test(host) || (origin !== undefined && origin !== `http://${host}`)) {
    return context.json(errorForm(403, 'Only a page of this server, opened as 127.0.0.1 or localhost, may ask.'), 403);
  }
  return next();
};
