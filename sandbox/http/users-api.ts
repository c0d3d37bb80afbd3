import { Hono } from 'hono';
import * as z from 'zod';
import type { RunningService } from '../running-service.ts';
import { receiveFromUser } from '../service/receive-from-user.ts';
import { isVideoOrGif } from '../service/send.ts';
import type { ServiceState } from '../service/state.ts';
import { changeUser, readMessages } from '../service/statuses.ts';
import { contactKey, findUser } from '../service/users.ts';
import { messageView, userView } from '../service/views.ts';
import { writeAsOperator } from '../service/write-as-operator.ts';
import { errorBody, isoTime, limitBody, type Page, pageBefore, readBody, readPage } from './read-request.ts';

const urls = z.array(z.url()).optional();

const userMessageRequest = z
  .strictObject({
    text: z.string().optional(),
    imageUrls: urls,
    audioUrls: urls,
    fileUrls: urls,
    at: isoTime.optional(),
    chatChannelNumber: z.string().optional(),
  })
  .refine(
    ({ text, imageUrls = [], audioUrls = [], fileUrls = [] }) =>
      Boolean(text) || imageUrls.length + audioUrls.length + fileUrls.length > 0,
    'provide text, imageUrls, audioUrls, or fileUrls',
  )
  .refine(
    ({ imageUrls = [], audioUrls = [], fileUrls = [] }) =>
      !Array.of(...imageUrls, ...audioUrls, ...fileUrls).some(isVideoOrGif),
    'video and GIF are not supported',
  );

const operatorMessageRequest = z.strictObject({
  text: z.string().min(1),
  fields: z.record(z.string(), z.unknown()).optional(),
});

const userSettingsRequest = z.strictObject({
  name: z.string().optional(),
  readReceipts: z.boolean().optional(),
  onPlatform: z.boolean().optional(),
  optIn: z.boolean().optional(),
  device: z.enum(['on', 'off']).optional(),
});

/** The control API's users: what they write, read, and set, what operators write to them, and their conversations. */
export const usersApi = (service: RunningService): Hono => {
  const app = new Hono();

  app.post('/users/:contact/messages', limitBody(), async (context) => {
    const body = await readBody(context, userMessageRequest);
    if (body.kind === 'invalid') return body.answer;
    const contact = context.req.param('contact');
    const outcome = service.apply((state, moment) => receiveFromUser(state, contact, body.value, moment));
    if (outcome.kind === 'accepted') return context.json({ _id_: outcome.id }, 202);
    return outcome.refusal.reason === 'NOT_ON_PLATFORM'
      ? context.json(errorBody(409, notOnPlatform(contact)), 409)
      : context.json(errorBody(400, 'Unknown chatChannelNumber; see GET /sandbox/state for the known ones.'), 400);
  });

  app.post('/users/:contact/operator-messages', limitBody(), async (context) => {
    const body = await readBody(context, operatorMessageRequest);
    if (body.kind === 'invalid') return body.answer;
    const contact = context.req.param('contact');
    const outcome = service.apply((state, moment) => writeAsOperator(state, contact, body.value, moment));
    if (outcome.kind === 'accepted') return context.json({ _id_: outcome.id }, 202);
    return outcome.refusal.reason === 'NOT_ON_PLATFORM'
      ? context.json(errorBody(409, notOnPlatform(contact)), 409)
      : context.json(errorBody(409, `The window of ${contact} is closed, so an operator cannot write.`), 409);
  });

  app.patch('/users/:contact', limitBody(), async (context) => {
    const body = await readBody(context, userSettingsRequest);
    if (body.kind === 'invalid') return body.answer;
    const contact = context.req.param('contact');
    const user = service.apply((state, moment) => changeUser(state, contact, body.value, moment));
    return context.json(userView(user, service.clock.now()));
  });

  app.post('/users/:contact/read', (context) => {
    const contact = context.req.param('contact');
    const read = service.apply((state, moment) => readMessages(state, contact, moment));
    return context.json({ read: read.map((message) => message.id) });
  });

  app.get('/users', (context) => context.json(usersView(service.state, service.clock.now(), readPage(context))));

  app.get('/users/:contact/conversation', (context) => {
    const contact = context.req.param('contact');
    return context.json(conversationView(service.state, contact, service.clock.now(), readPage(context)));
  });
  return app;
};

const notOnPlatform = (contact: string): string =>
  `The user ${contact} is not on the platform; PATCH onPlatform to true first.`;

/** A page of the users, the one with the latest message first; `before` is the address of a user. */
export const usersView = (state: ServiceState, now: Date, page: Page) => {
  const entries = Array.from(state.users, ([key, user]) => ({ key, user, last: state.messages.latestOf(key) }));
  const order = (last: (typeof entries)[number]['last']) =>
    last === undefined ? 0 : (last.direction === 'in' ? last.receivedAt : last.at).getTime();
  const latestFirst = entries.toSorted((one, other) => order(other.last) - order(one.last));
  const key = page.before === undefined ? undefined : contactKey(page.before);
  const start = key === undefined ? 0 : latestFirst.findIndex((entry) => entry.key === key) + 1;
  const shown = latestFirst.slice(start, start + page.limit);
  return {
    users: shown.map(({ user, last }) => ({ ...userView(user, now), lastMessage: last ? messageView(last) : null })),
    before: start + page.limit < latestFirst.length ? (shown.at(-1)?.user.contact ?? null) : null,
  };
};

/** A page of the messages between a user and the business, oldest first, in the order the service received them. */
const conversationView = (state: ServiceState, contact: string, now: Date, page: Page) => {
  const user = findUser(state, contact);
  const { items, before } = pageBefore(state.messages.of(contactKey(contact)), page);
  return { user: user ? userView(user, now) : null, messages: items.map(messageView), before };
};
