import { Hono } from 'hono';
import { errorForm } from '../http/error-form.ts';
import type { RunningService } from '../running-service.ts';
import type { SigningKeys } from './signing-keys.ts';

/** Where the public keys of the carrier's tokens are. */
export const JWKS_PATH = '/carrier/certs';

/** What a receiver fetches from the carrier, under `/carrier`; the paths of SNS are in `sns-envelope.ts`. */
export const carrierPages = (service: RunningService, keys: SigningKeys): Hono =>
  new Hono()
    .get('/certs', async (context) => context.json(await keys.jwks(), 200, { 'Cache-Control': 'public, max-age=3600' }))
    .get('/sns/certificate.pem', async (context) => context.text(await keys.certificate()))
    .get('/sns/confirm', (context) =>
      service.carrier.confirm(context.req.query('Token') ?? '')
        ? context.json({ confirmed: true })
        : context.json(errorForm(403, 'This token confirms no subscription of now.'), 403),
    );
