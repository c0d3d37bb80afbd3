import { type Context, Hono } from 'hono';
import * as z from 'zod';
import { webhookView } from '../delivery/views.ts';
import type { RunningService } from '../running/running-service.ts';
import { getAccount } from '../service/account.ts';
import { chatChannelNumbers } from '../service/channels.ts';
import { type ChatMessage, isSent } from '../service/model.ts';
import type { ServiceState } from '../service/state.ts';
import { accountView, ruleView, templateView, userView } from '../service/views.ts';
import { accountApi } from './account-api.ts';
import { deliveriesApi } from './deliveries-api.ts';
import { feedStream } from './event-stream.ts';
import { faultsApi } from './faults-api.ts';
import { linksApi } from './links-api.ts';
import { errorBody, jsonBody, limitBody, pageBefore, readPage } from './read-request.ts';
import { templatesApi } from './templates-api.ts';
import { usersApi } from './users-api.ts';

const clockRequest = z.strictObject({
  /** At most ten years, well within the range of a date. */
  advanceSeconds: z.number().min(0).max(315_360_000),
});

/**
 * The control API, through which tests and the console act on the service from outside the contract. Unlike the
 * contract's, its bodies are strict: a misspelled field in a test is an error.
 */
export const controlApi = (service: RunningService): Hono => {
  const app = new Hono();

  const showState = (context: Context) =>
    context.json({
      feedId: service.feed.lastId(),
      ...stateView(service.state, service.clock.now()),
      users: Array.from(service.state.users.values(), (user) => userView(user, service.clock.now())),
      webhook: service.webhook ? webhookView(service.webhook) : null,
      pending: service.delivery.pending(),
    });

  app.get('/state', showState);
  app.get('/outbox', (context) => context.json(outboxView(service.state.messages.values())));
  app.get('/feed', (context) => feedStream(context, service.feed, service.clock.now()));
  app.get('/calls', (context) => {
    const { items, before } = pageBefore(service.callLog.calls(), readPage(context));
    return context.json({ calls: items, before });
  });

  app.post('/clock', limitBody(), jsonBody(clockRequest), async (context) => {
    await service.advanceClock(context.req.valid('json').advanceSeconds * 1000);
    return context.json({ now: service.clock.now().toISOString() });
  });

  app.post('/reset', async (context) => {
    await service.reset();
    return showState(context);
  });

  app.route('/', usersApi(service));
  app.route('/', accountApi(service));
  app.route('/', templatesApi(service));
  app.route('/', linksApi(service));
  app.route('/', deliveriesApi(service));
  app.route('/', faultsApi(service));

  app.all('*', (context) =>
    context.json(errorBody(404, `The control API has no ${context.req.method} ${context.req.path}.`), 404),
  );
  return app;
};

/** The service's state without its users and messages, which may be many. */
export const stateView = (state: ServiceState, now: Date) => {
  const account = getAccount(state);
  return {
    now: now.toISOString(),
    chatPlatform: state.chatPlatform,
    chatChannelNumbers: chatChannelNumbers(state),
    credit: account.credit,
    account: accountView(account),
    rules: Array.from(state.rules.values(), ruleView),
    templates: Array.from(state.templates.values(), templateView),
  };
};

const outboxView = (messages: Iterable<ChatMessage>) => ({
  messages: [...messages]
    .filter(isSent)
    .filter(({ endpoint }) => endpoint !== 'operator-console')
    .map(({ id, endpoint, at, body, content, status, code, txId }) => ({
      id,
      endpoint,
      at: at.toISOString(),
      body,
      content,
      status,
      code,
      txId,
    })),
});
