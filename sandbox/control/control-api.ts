import { type Context, Hono } from 'hono';
import type { SigningKeys } from '../carrier/signing-keys.ts';
import type { Faults } from '../faults/faults.ts';
import { faultsApi } from '../faults/faults-api.ts';
import { feedStream } from '../feed/feed-stream.ts';
import { errorForm } from '../http/error-form.ts';
import { limitBody, readBody } from '../http/read-body.ts';
import type { RunningService } from '../running-service.ts';
import { changeAccount } from '../service/account.ts';
import { decideApproval } from '../service/approval.ts';
import { receiveFromUser } from '../service/receive-from-user.ts';
import { putRule } from '../service/rules.ts';
import { changeUser, readMessages } from '../service/statuses.ts';
import { accountApi } from './account-api.ts';
import { clickToChatControl } from './click-to-chat-api.ts';
import { conversationView, usersView } from './conversations.ts';
import { deliveriesApi } from './deliveries-api.ts';
import { pageBefore, readPage } from './page.ts';
import { accountRequest, clockRequest, ruleRequest, userMessageRequest, userSettingsRequest } from './requests.ts';
import { templatesApi } from './templates-api.ts';
import { accountView, outboxView, stateView, userView } from './views.ts';

/** The control API: what tests and the console do to the service from outside of the contract. */
export const controlApi = (service: RunningService, keys: SigningKeys, faults: Faults): Hono => {
  const app = new Hono();

  app.post('/users/:contact/messages', limitBody(), async (context) => {
    const body = await readBody(context, userMessageRequest);
    if (body.kind === 'invalid') return body.answer;
    const contact = context.req.param('contact');
    const outcome = service.apply((state, moment) => receiveFromUser(state, contact, body.value, moment));
    if (outcome.kind === 'accepted') return context.json({ _id_: outcome.id }, 202);
    return outcome.refusal.reason === 'NOT_ON_PLATFORM'
      ? context.json(errorForm(409, `The user ${contact} is not on the platform; PATCH onPlatform to true first.`), 409)
      : context.json(errorForm(400, 'The chatChannelNumber is none of the sandbox; see GET /sandbox/state.'), 400);
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

  app.get('/outbox', (context) => context.json(outboxView(service.state.messages.values())));
  app.get('/state', (context) => context.json(stateView(service)));

  app.get('/feed', (context) => feedStream(context, service.feed, service.clock.now()));
  app.get('/users', (context) => context.json(usersView(service.state, service.clock.now(), readPage(context))));
  app.get('/users/:contact/conversation', (context) => {
    const contact = context.req.param('contact');
    return context.json(conversationView(service.state, contact, service.clock.now(), readPage(context)));
  });
  app.get('/calls', (context) => {
    const { items, before } = pageBefore(service.callLog.calls(), readPage(context));
    return context.json({ calls: items, before });
  });

  app.post('/clock', limitBody(), async (context) => {
    const body = await readBody(context, clockRequest);
    if (body.kind === 'invalid') return body.answer;
    await service.advanceClock(body.value.advanceSeconds * 1000);
    return context.json({ now: service.clock.now().toISOString() });
  });

  app.patch('/account', limitBody(), async (context) => {
    const body = await readBody(context, accountRequest);
    if (body.kind === 'invalid') return body.answer;
    const { approved, ...settings } = body.value;
    const account = service.apply((state) => {
      if (approved !== undefined) decideApproval(state, approved);
      return changeAccount(state, settings);
    });
    return context.json(accountView(account));
  });

  app.put('/rules/:name', limitBody(), async (context) => {
    const body = await readBody(context, ruleRequest);
    if (body.kind === 'invalid') return body.answer;
    const name = context.req.param('name');
    const rule = service.apply((state, moment) => ({ result: putRule(state, name, body.value, moment), events: [] }));
    return context.json(rule);
  });

  app.route('/', faultsApi(service, faults));
  app.route('/', deliveriesApi(service));
  app.route('/', templatesApi(service));
  app.route('/', accountApi(service));
  app.route('/', clickToChatControl(service));

  app.post('/reset', async (context) => {
    faults.clear();
    await service.reset();
    return context.json(stateView(service));
  });

  app.post('/carrier/rotate-keys', async (context) => context.json({ kid: await keys.rotate() }));

  app.all('*', (context: Context) =>
    context.json(errorForm(404, `The control API has no ${context.req.method} ${context.req.path}.`), 404),
  );
  return app;
};
