import type { Context, MiddlewareHandler } from 'hono';
import { errorForm } from '../http/error-form.ts';
import type { RunningService } from '../running-service.ts';
import { isValidToken } from '../service/access-tokens.ts';

/**
 * Contract, "Endpoints": the headers that every call carries. A missing, unknown, expired or revoked token is answered with plain text
 * (field notes, "The API's answers").
 */
export const contractHeaders =
  (service: RunningService): MiddlewareHandler =>
  async (context, next) => {
    const token = service.state.accessTokens.get(context.req.header('access-token') ?? '');
    if (token === undefined || !isValidToken(token, service.clock.now())) return context.text('Unauthorized', 401);
    if (!names(context, 'content-type', 'application/json')) {
      return context.json(errorForm(415, 'Send the header Content-Type: application/json.'), 415);
    }
    if (!names(context, 'accept', 'application/json')) {
      return context.json(errorForm(406, 'Send the header Accept: application/json.'), 406);
    }
    return next();
  };

const names = (context: Context, header: string, mediaType: string): boolean =>
  (context.req.header(header) ?? '').split(',').some((part) => part.split(';')[0]?.trim().toLowerCase() === mediaType);
