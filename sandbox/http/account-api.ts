import { Hono } from 'hono';
import * as z from 'zod';
import { EVENT_FORMAT_NAMES } from '../base/event-format-names.ts';
import type { RunningService } from '../running/running-service.ts';
import { changeAccount, getAccount, issueToken, revokeToken } from '../service/account.ts';
import { decideApproval, isPng, requestApproval } from '../service/approval.ts';
import { accessTokenView, accountView } from '../service/views.ts';
import { errorBody, httpUrl, isoTime, jsonBody, limitBody } from './read-request.ts';

/** Allows for a photo in base64 and the other fields. */
const MAX_APPROVAL_BYTES = 8 * 1024 * 1024;

const accountRequest = z.strictObject({
  credit: z.int().min(0).optional(),
  approved: z.boolean().optional(),
  optInRequired: z.boolean().optional(),
  eventFormat: z.enum(EVENT_FORMAT_NAMES).optional(),
  answerId: z.enum(['id', 'webhookNotificationId', 'requestId']).optional(),
  echoes: z.boolean().optional(),
});

const ownNumber = z.string().regex(/^\+\d{7,15}$/, 'must be in international format such as +5491100000000');

/** What approval requires. Source: contract, "Rules of use" 4 to 6, and "Limits". */
const approvalRequest = z.strictObject({
  businessAccountId: z.string().trim().min(1),
  numbers: z
    .array(
      z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('landline'), number: ownNumber }),
        z.strictObject({ kind: z.literal('mobile'), number: ownNumber, platformLastInstalledAt: isoTime.nullable() }),
        z.strictObject({ kind: z.literal('supplied'), country: z.string() }),
      ]),
    )
    .min(1)
    .max(100),
  profile: z.strictObject({
    about: z.string().trim().min(1),
    address: z.string().trim().min(1),
    businessDescription: z.string().trim().min(1),
    category: z.string().trim().min(1),
    contactEmail: z.email(),
    website: httpUrl,
    photo: z.base64().min(1),
  }),
});

const accessTokenRequest = z
  .strictObject({
    /** @default a generated token */
    accessToken: z
      .string()
      .regex(/^[\x21-\x7e]{1,4096}$/, 'must be 1 to 4096 visible ASCII characters')
      .optional(),
    expiresInSeconds: z.number().positive().max(315_360_000).optional(),
    /** Whether the generated token is a JSON Web Token. */
    jwt: z.boolean().optional(),
  })
  .refine(({ accessToken, jwt }) => accessToken === undefined || jwt === undefined, 'provide accessToken or jwt');

/** The control API's account: credit, approval, profile and access tokens. */
export const accountApi = (service: RunningService): Hono => {
  const app = new Hono();

  app.get('/account', (context) => context.json(accountView(getAccount(service.state))));

  app.patch('/account', limitBody(), jsonBody(accountRequest), (context) => {
    const { approved, ...settings } = context.req.valid('json');
    const account = service.apply((state) => {
      if (approved !== undefined) decideApproval(state, approved);
      return changeAccount(state, settings);
    });
    return context.json(accountView(account));
  });

  app.post('/account/approval', limitBody(MAX_APPROVAL_BYTES), jsonBody(approvalRequest), (context) => {
    const outcome = service.apply((state, moment) => requestApproval(state, context.req.valid('json'), moment));
    switch (outcome.kind) {
      case 'pending':
        return context.json(accountView(getAccount(service.state)), 202);
      case 'already-approved':
        return context.json(errorBody(409, 'The account is already approved; approval is a one-time step.'), 409);
      case 'invalid':
        return context.json(errorBody(801, `The account cannot be approved: ${outcome.problems.join('; ')}.`), 422);
    }
  });

  // Contract, "Limits": only the photo's central circle is displayed.
  app.get('/account/photo.svg', (context) => {
    const photo = getAccount(service.state).profile?.photo;
    if (photo === undefined) return context.json(errorBody(404, 'The account has no profile photo yet.'), 404);
    const type = isPng(Buffer.from(photo, 'base64')) ? 'image/png' : 'image/jpeg';
    const image = `<image href="data:${type};base64,${photo}" width="192" height="192" clip-path="circle(96px)"/>`;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 192 192">${image}</svg>`;
    return context.body(svg, 200, {
      'Content-Type': 'image/svg+xml',
      'Content-Security-Policy': "default-src 'none'; img-src data:; frame-ancestors 'none'",
    });
  });

  app.get('/access-tokens', (context) => {
    const now = service.clock.now();
    const tokens = Array.from(service.state.accessTokens.values(), (token) => accessTokenView(token, now));
    return context.json({ accessTokens: tokens });
  });

  app.post('/access-tokens', limitBody(), jsonBody(accessTokenRequest), (context) => {
    const token = service.apply((state, moment) => issueToken(state, context.req.valid('json'), moment));
    return context.json(accessTokenView(token, service.clock.now()), 201);
  });

  app.delete('/access-tokens/:accessToken', (context) => {
    const accessToken = context.req.param('accessToken');
    const token = service.apply((state, moment) => revokeToken(state, accessToken, moment));
    if (token !== undefined) return context.json(accessTokenView(token, service.clock.now()));
    return context.json(errorBody(404, 'Unknown access token; see GET /sandbox/access-tokens.'), 404);
  });
  return app;
};
