import { type Context, Hono } from 'hono';
import * as z from 'zod';
import type { RunningService } from '../running/running-service.ts';
import { editMessage } from '../service/edit-message.ts';
import { STATUSES } from '../service/model.ts';
import { receiveFromUser, type UserMessageOutcome, type UserMessages } from '../service/receive-from-user.ts';
import { isVideoOrGif } from '../service/send.ts';
import type { ServiceState } from '../service/state.ts';
import { changeUser, readMessages, reportStatus } from '../service/statuses.ts';
import { contactKey, findUser, latestMessageOf, messagesOf } from '../service/users.ts';
import { messageView, userView } from '../service/views.ts';
import { writeAsOperator } from '../service/write-as-operator.ts';
import { errorBody, isoTime, jsonBody, limitBody, type Page, pageBefore, readPage } from './read-request.ts';

const urls = z.array(z.url()).optional();

const userMessage = z.strictObject({
  text: z.string().optional(),
  imageUrls: urls,
  audioUrls: urls,
  fileUrls: urls,
  videoUrls: urls,
  location: z
    .strictObject({
      name: z.string().optional(),
      address: z.string().optional(),
      latitude: z.number().min(-90).max(90),
      longitude: z.number().min(-180).max(180),
    })
    .optional(),
  contacts: z.array(z.record(z.string(), z.json())).min(1).optional(),
  buttonPayload: z.string().min(1).optional(),
  error: z.string().min(1).optional(),
  at: isoTime.optional(),
});

type UserMessage = z.output<typeof userMessage>;

const mediaUrls = ({ imageUrls = [], audioUrls = [], fileUrls = [], videoUrls = [] }: UserMessage) =>
  Array.of(...imageUrls, ...audioUrls, ...fileUrls, ...videoUrls);
const isWritten = (message: UserMessage) => Boolean(message.text) || mediaUrls(message).length > 0;

/** What a message cannot have, whatever the event format. */
const checked = <Schema extends z.ZodType<UserMessage>>(schema: Schema) =>
  schema
    .refine(
      (message) =>
        [message.location, message.contacts, message.error].filter((part) => part !== undefined).length +
          (isWritten(message) ? 1 : 0) ===
        1,
      'provide text, imageUrls, audioUrls, fileUrls, or videoUrls; or only location, contacts, or error',
    )
    .refine(
      (message) => message.buttonPayload === undefined || (Boolean(message.text) && mediaUrls(message).length === 0),
      'a buttonPayload needs text, the label of the button, and no media',
    )
    .refine(
      ({ videoUrls: _videos, ...message }) => !mediaUrls(message).some(isVideoOrGif),
      'video and GIF are not supported as other media; use videoUrls for a video',
    );

const userMessageRequest = checked(userMessage.extend({ chatChannelNumber: z.string().optional() }));

/** Real services deliver at most a few messages together. */
const MAX_BATCH = 100;

const batchRequest = z.strictObject({
  messages: z
    .tuple([checked(userMessage)], checked(userMessage))
    .refine(({ length }) => length <= MAX_BATCH, `at most ${MAX_BATCH}`),
  chatChannelNumber: z.string().optional(),
});

const newUrls = z.array(z.url()).min(1).optional();

const editRequest = z
  .strictObject({ text: z.string().min(1).optional(), imageUrls: newUrls, audioUrls: newUrls, fileUrls: newUrls })
  .refine((edit) => Object.keys(edit).length > 0, 'provide text, imageUrls, audioUrls, or fileUrls')
  .refine((edit) => !mediaUrls(edit).some(isVideoOrGif), 'video and GIF are not supported');

const operatorMessageRequest = z.strictObject({
  text: z.string().min(1),
  fields: z.record(z.string(), z.unknown()).optional(),
});

const failureCode = z.string().regex(/^\d{1,9}$/, 'must be a number such as 131049');

const userSettingsRequest = z.strictObject({
  name: z.string().optional(),
  /** The service's ID of the user. Under another one, an address with messages has a new user. */
  customerId: z.string().min(1).max(64).optional(),
  readReceipts: z.boolean().optional(),
  onPlatform: z.boolean().optional(),
  optIn: z.boolean().optional(),
  device: z.enum(['on', 'off']).optional(),
  /** Null lets messages arrive again. */
  failWith: failureCode.nullable().optional(),
});

const statusRequest = z
  .strictObject({ status: z.enum(STATUSES), code: failureCode.optional() })
  .refine(({ status, code }) => code === undefined || status === 'failed' || status === 'error', {
    path: ['code'],
    error: 'only a failure has a code',
  });

/** The control API's users: what they write, read, and set, what operators write to them, and their conversations. */
export const usersApi = (service: RunningService): Hono => {
  const app = new Hono();

  const receive = (contact: string, request: UserMessages): UserMessageOutcome =>
    service.apply((state, moment) => receiveFromUser(state, contact, request, moment));

  app.post('/users/:contact/messages', limitBody(), jsonBody(userMessageRequest), (context) => {
    const { chatChannelNumber, ...message } = context.req.valid('json');
    const outcome = receive(context.req.param('contact'), { messages: [message], chatChannelNumber });
    return answerOutcome(context, outcome, ([_id_]) => ({ _id_ }));
  });

  app.post('/users/:contact/batches', limitBody(), jsonBody(batchRequest), (context) => {
    const outcome = receive(context.req.param('contact'), context.req.valid('json'));
    return answerOutcome(context, outcome, (ids) => ({ messages: ids.map((_id_) => ({ _id_ })) }));
  });

  app.patch('/users/:contact/messages/:id', limitBody(), jsonBody(editRequest), (context) => {
    const { contact, id } = context.req.param();
    const edit = context.req.valid('json');
    const outcome = service.apply((state, moment) => editMessage(state, { contact, id }, edit, moment));
    return outcome === undefined
      ? context.json(errorBody(404, `The user ${contact} has sent no message with the id ${id}.`), 404)
      : answerOutcome(context, outcome, ([_id_]) => ({ _id_ }));
  });

  app.post('/users/:contact/operator-messages', limitBody(), jsonBody(operatorMessageRequest), (context) => {
    const contact = context.req.param('contact');
    const outcome = service.apply((state, moment) =>
      writeAsOperator(state, contact, context.req.valid('json'), moment),
    );
    if (outcome.kind === 'accepted') return context.json({ _id_: outcome.id }, 202);
    return outcome.refusal.reason === 'NOT_ON_PLATFORM'
      ? context.json(errorBody(409, notOnPlatform(contact)), 409)
      : context.json(errorBody(409, `The window of ${contact} is closed, so an operator cannot write.`), 409);
  });

  app.patch('/users/:contact', limitBody(), jsonBody(userSettingsRequest), (context) => {
    const contact = context.req.param('contact');
    const { failWith, ...settings } = context.req.valid('json');
    const changes = failWith === undefined ? settings : { ...settings, failWith: failWith ?? undefined };
    const user = service.apply((state, moment) => changeUser(state, contact, changes, moment));
    return context.json(userView(user, service.clock.now()));
  });

  app.post('/users/:contact/read', (context) => {
    const contact = context.req.param('contact');
    const read = service.apply((state, moment) => readMessages(state, contact, moment));
    return context.json({ read: read.map((message) => message.id) });
  });

  app.post('/messages/:id/statuses', limitBody(), jsonBody(statusRequest), (context) => {
    const body = context.req.valid('json');
    const id = context.req.param('id');
    const message = service.apply((state, moment) => reportStatus(state, id, body, moment));
    if (message === undefined) {
      return context.json(errorBody(404, `No accepted message has the id ${id}; see GET /sandbox/outbox.`), 404);
    }
    return context.json({ messageId: id, ...body }, 202);
  });

  app.get('/users', (context) => context.json(usersView(service.state, service.clock.now(), readPage(context))));

  app.get('/users/:contact/conversation', (context) => {
    const contact = context.req.param('contact');
    return context.json(conversationView(service.state, contact, service.clock.now(), readPage(context)));
  });
  return app;
};

const answerOutcome = (
  context: Context,
  outcome: UserMessageOutcome,
  view: (ids: readonly string[]) => object,
): Response => {
  if (outcome.kind === 'accepted') return context.json(view(outcome.ids), 202);
  if (outcome.kind === 'unsupported') return context.json(errorBody(409, outcome.sentence), 409);
  return outcome.refusal.reason === 'NOT_ON_PLATFORM'
    ? context.json(errorBody(409, notOnPlatform(outcome.refusal.contact)), 409)
    : context.json(errorBody(400, 'Unknown chatChannelNumber; see GET /sandbox/state for the known ones.'), 400);
};

const notOnPlatform = (contact: string): string =>
  `The user ${contact} is not on the platform; PATCH onPlatform to true first.`;

/** A page of the users, the one with the latest message first; `before` is the address of a user. */
export const usersView = (state: ServiceState, now: Date, page: Page) => {
  const entries = Array.from(state.users, ([key, user]) => ({ key, user, last: latestMessageOf(state, user) }));
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
  const { items, before } = pageBefore(messagesOf(state, contact), page);
  return { user: user ? userView(user, now) : null, messages: items.map(messageView), before };
};
