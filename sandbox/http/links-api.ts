import { type Context, Hono } from 'hono';
import * as z from 'zod';
import type { RunningService } from '../running/running-service.ts';
import { chatChannelNumbers, clickToChatLink, findChannel, openLink } from '../service/channels.ts';
import { errorBody, jsonBody, limitBody } from './read-request.ts';

const linkRequest = z.strictObject({
  chatChannelNumber: z.string().optional(),
  text: z.string().max(1000).optional(),
});

const openLinkRequest = z.strictObject({ url: z.string() });

/** The control API's click-to-chat links: creates them, and opens them for a user. */
export const linksApi = (service: RunningService): Hono => {
  const app = new Hono();

  app.post('/links', limitBody(), jsonBody(linkRequest), (context) => {
    const { chatChannelNumber: requested = chatChannelNumbers(service.state)[0] ?? '', text = '' } =
      context.req.valid('json');
    const chatChannelNumber = findChannel(service.state, requested);
    if (chatChannelNumber === undefined) return unknownNumber(context, 400);
    const { origin } = new URL(context.req.url);
    return context.json({ url: clickToChatLink(origin, { chatChannelNumber, text }), chatChannelNumber, text }, 201);
  });

  app.post('/links/open', limitBody(), jsonBody(openLinkRequest), (context) => {
    const draft = openLink(service.state, context.req.valid('json').url);
    return draft === undefined ? unknownNumber(context, 400) : context.json(draft);
  });
  return app;
};

/** The target of a click-to-chat link: redirects to the console with the number and the text filled in. */
export const clickToChat = (service: RunningService): Hono =>
  new Hono().get('/:number', (context) => {
    const draft = openLink(service.state, context.req.url);
    return draft === undefined
      ? unknownNumber(context, 404)
      : context.redirect(`/?${new URLSearchParams({ ...draft })}`);
  });

const unknownNumber = (context: Context, status: 400 | 404) =>
  context.json(
    errorBody(status, "This link does not lead to one of the business's numbers; see GET /sandbox/state."),
    status,
  );
