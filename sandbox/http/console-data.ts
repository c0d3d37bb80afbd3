import { Hono } from 'hono';
import type { Inspector } from '../base/inspector.ts';
import { namedIds, shownBody } from '../delivery/published-message.ts';
import { deliveryView, expiredView } from '../delivery/views.ts';
import type { RunningService } from '../running/running-service.ts';
import type { Call } from '../service/call-log.ts';
import { contactKey } from '../service/users.ts';
import { messageView } from '../service/views.ts';
import { stateView } from './control-api.ts';
import { usersView } from './users-api.ts';

const MAX_LOG_ENTRIES = 500;
const MAX_USERS = 1_000;

/** The console's own data: what the page shows, in the form in which it needs it. */
export const consoleData = (service: RunningService, getInspector: () => Inspector | undefined): Hono =>
  new Hono()
    .get('/start', (context) => context.json(startView(service, getInspector())))
    .get('/messages/:id', (context) => {
      const { state, delivery, callLog } = service;
      const id = context.req.param('id');
      const message = state.messages.get(id);
      return context.json({
        message: message === undefined ? null : messageView(message),
        contact: (message && state.users.get(message.contactKey)?.contact) ?? null,
        deliveries: delivery.attemptsOf(id).map(deliveryView),
        expired: delivery
          .expired()
          .filter((event) => namedIds(shownBody(event)).has(id))
          .map(expiredView),
        calls: callLog.calls().filter((call) => call.messageId === id),
      });
    })
    .get('/calls/:contact', (context) =>
      context.json({ calls: callsTo(service.callLog.calls(), context.req.param('contact')) }),
    );

/** Returns what the page needs before it follows the feed, all as of the entry `feedId`. */
export const startView = (
  { state, clock, feed, delivery, faults, counts }: RunningService,
  inspector: Inspector | undefined,
) => {
  const now = clock.now();
  return {
    feedId: feed.lastId(),
    hasInspector: inspector !== undefined,
    features: inspector?.features ?? null,
    ...stateView(state, now),
    users: usersView(state, now, { limit: MAX_USERS }).users,
    faults: faults.list(),
    expiredCount: delivery.expired().length,
    log: feed.latest(MAX_LOG_ENTRIES).map(({ json }): unknown => JSON.parse(json)),
    minutes: counts.minutes(new Date()),
  };
};

/** Returns the accepted and refused calls about one user, oldest first. */
const callsTo = (calls: readonly Call[], contact: string): readonly Call[] => {
  const key = contactKey(contact);
  return calls.filter((call) => call.contact !== null && contactKey(call.contact) === key);
};
