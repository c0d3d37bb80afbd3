import { Hono } from 'hono';
import { limitBody, readBody } from '../http/read-body.ts';
import type { RunningService } from '../running-service.ts';
import { replaceTokens } from '../service/access-tokens.ts';
import { faultsRequest, tokensRequest } from './fault-requests.ts';
import type { Faults } from './faults.ts';

/** The part of the control API that makes things go wrong: answers, deliveries, and tokens that are replaced. */
export const faultsApi = (service: RunningService, faults: Faults): Hono => {
  const app = new Hono();

  app.post('/faults', limitBody(), async (context) => {
    const body = await readBody(context, faultsRequest);
    if (body.kind === 'invalid') return body.answer;
    faults.order(body.value);
    return context.json(faults.list());
  });
  app.get('/faults', (context) => context.json(faults.list()));
  app.delete('/faults', (context) => {
    faults.clear();
    return context.json(faults.list());
  });

  app.put('/tokens', limitBody(), async (context) => {
    const body = await readBody(context, tokensRequest);
    if (body.kind === 'invalid') return body.answer;
    const { accessTokens } = body.value;
    const valid = service.apply((state, moment) => replaceTokens(state, accessTokens, moment));
    return context.json({ accessTokens: valid.length });
  });
  return app;
};
