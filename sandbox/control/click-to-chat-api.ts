import { type Context, Hono } from 'hono';
import { renderSVG } from 'uqr';
import { errorForm } from '../http/error-form.ts';
import { limitBody, readBody } from '../http/read-body.ts';
import type { RunningService } from '../running-service.ts';
import { chatChannelNumbers, findChannel } from '../service/channels.ts';
import { clickToChatLink, openLink } from '../service/click-to-chat.ts';
import { linkRequest, openLinkRequest } from './requests.ts';

/** Makes click-to-chat links with their QR pictures, and opens them for a user. */
export const clickToChatControl = (service: RunningService): Hono => {
  const app = new Hono();

  app.post('/links', limitBody(), async (context) => {
    const body = await readBody(context, linkRequest);
    if (body.kind === 'invalid') return body.answer;
    const { chatChannelNumber: asked = chatChannelNumbers(service.state)[0] ?? '', text = '' } = body.value;
    const chatChannelNumber = findChannel(service.state, asked);
    if (chatChannelNumber === undefined) return unknownNumber(context, 400);
    const { origin } = new URL(context.req.url);
    const url = clickToChatLink(origin, { chatChannelNumber, text });
    return context.json(
      { url, chatChannelNumber, text, qr: `${origin}/sandbox/links/qr.svg?url=${encodeURIComponent(url)}` },
      201,
    );
  });

  app.get('/links/qr.svg', (context) => {
    const url = context.req.query('url') ?? '';
    if (openLink(service.state, url) === undefined) return unknownNumber(context, 400);
    return context.body(renderSVG(url), 200, { 'Content-Type': 'image/svg+xml' });
  });

  app.post('/links/open', limitBody(), async (context) => {
    const body = await readBody(context, openLinkRequest);
    if (body.kind === 'invalid') return body.answer;
    const draft = openLink(service.state, body.value.url);
    return draft === undefined ? unknownNumber(context, 400) : context.json(draft);
  });
  return app;
};

/** What a click-to-chat link leads to: the console, with the number and the text filled in. */
export const clickToChat = (service: RunningService): Hono =>
  new Hono().get('/:number', (context) => {
    const draft = openLink(service.state, context.req.url);
    return draft === undefined ? unknownNumber(context, 404) : context.redirect(`/?${new URLSearchParams(draft)}`);
  });

const unknownNumber = (context: Context, status: 400 | 404) =>
  context.json(errorForm(status, 'This is no link to a number of the business; see GET /sandbox/state.'), status);
