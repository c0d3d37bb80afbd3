import { Hono } from 'hono';
import { errorForm } from '../http/error-form.ts';
import { limitBody, readBody } from '../http/read-body.ts';
import type { RunningService } from '../running-service.ts';
import { issueToken, revokeToken } from '../service/access-tokens.ts';
import { accountOf } from '../service/account.ts';
import { requestApproval } from '../service/approval.ts';
import { isPng } from '../service/profile-photo.ts';
import { accessTokenRequest, approvalRequest } from './requests.ts';
import { accessTokenView, accountView } from './views.ts';

/** A photo in base64 with the other fields around it. */
const MAX_APPROVAL_BYTES = 8 * 1024 * 1024;

/** The account's approval, its profile and its credentials. */
export const accountApi = (service: RunningService): Hono => {
  const app = new Hono();

  app.get('/account', (context) => context.json(accountView(accountOf(service.state))));

  app.post('/account/approval', limitBody(MAX_APPROVAL_BYTES), async (context) => {
    const body = await readBody(context, approvalRequest);
    if (body.kind === 'invalid') return body.answer;
    const outcome = service.apply((state, moment) => requestApproval(state, body.value, moment));
    switch (outcome.kind) {
      case 'pending':
        return context.json(accountView(accountOf(service.state)), 202);
      case 'already-approved':
        return context.json(errorForm(409, 'The account is approved already; approval is a one-time step.'), 409);
      case 'faulty':
        return context.json(errorForm(801, `The account cannot be approved: ${outcome.faults.join('; ')}.`), 422);
    }
  });

  // Contract, "Limits": of the photo, only the central circle is displayed.
  app.get('/account/photo.svg', (context) => {
    const photo = accountOf(service.state).profile?.photo;
    if (photo === undefined) return context.json(errorForm(404, 'The account has no profile photo yet.'), 404);
    const type = isPng(Buffer.from(photo, 'base64')) ? 'image/png' : 'image/jpeg';
    const image = `<image href="data:${type};base64,${photo}" width="192" height="192" clip-path="circle(96px)"/>`;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 192 192">${image}</svg>`;
    return context.body(svg, 200, { 'Content-Type': 'image/svg+xml' });
  });

  app.get('/access-tokens', (context) => {
    const now = service.clock.now();
    const tokens = Array.from(service.state.accessTokens.values(), (token) => accessTokenView(token, now));
    return context.json({ accessTokens: tokens });
  });

  app.post('/access-tokens', limitBody(), async (context) => {
    const body = await readBody(context, accessTokenRequest);
    if (body.kind === 'invalid') return body.answer;
    const token = service.apply((state, moment) => issueToken(state, body.value, moment));
    return context.json(accessTokenView(token, service.clock.now()), 201);
  });

  app.delete('/access-tokens/:accessToken', (context) => {
    const accessToken = context.req.param('accessToken');
    const token = service.apply((state, moment) => revokeToken(state, accessToken, moment));
    if (token !== undefined) return context.json(accessTokenView(token, service.clock.now()));
    return context.json(errorForm(404, 'There is no such token; see GET /sandbox/access-tokens.'), 404);
  });
  return app;
};
