import { Hono } from 'hono';
import { limitBody, readBody } from '../http/read-body.ts';
import { faultsRequest, tokensRequest } from './fault-requests.ts';
import type { Faults } from './faults.ts';

/** The part of the control API that makes things go wrong: answers, deliveries, and tokens that are replaced. */
export const faultsApi = (faults: Faults, accessTokens: Set<string>): Hono => {
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
    accessTokens.clear();
    for (const token of body.value.accessTokens) accessTokens.add(token);
    return context.json({ accessTokens: accessTokens.size });
  });
  return app;
};
