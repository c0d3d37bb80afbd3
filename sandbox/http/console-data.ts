import { type Context, Hono } from 'hono';
import { namedIds, shownBody } from '../delivery/published-message.ts';
import { deliveryView, expiredView } from '../delivery/views.ts';
import type { RunningService } from '../running-service.ts';
import type { Call } from '../service/call-log.ts';
import { contactKey } from '../service/users.ts';
import { messageView } from '../service/views.ts';
import { errorBody } from './read-request.ts';

const MAX_LOG_ENTRIES = 500;

/** The console's own data: what the page shows, in the form in which it needs it. */
export const consoleData = (service: RunningService, hasInspector: () => boolean): Hono =>
  new Hono()
    .get('/parts', (context) => context.json({ inspector: hasInspector() }))
    .get('/log', (context) => {
      const limit = readLogLimit(context);
      if (limit === undefined) {
        return context.json(errorBody(400, `limit must be a whole number from 1 to ${MAX_LOG_ENTRIES}.`), 400);
      }
      // The entries are JSON already; parsing and serializing them again would only cost time.
      const entries = service.feed.latest(limit).map(({ json }) => json);
      return context.body(`{"entries":[${entries.join(',')}]}`, 200, { 'Content-Type': 'application/json' });
    })
    .get('/counts', (context) =>
      context.json({ feedId: service.feed.lastId(), minutes: service.counts.minutes(new Date()) }),
    )
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

/** Reads `?limit=`; undefined if it is not a number that the log allows. */
const readLogLimit = (context: Context): number | undefined => {
  const limit = context.req.query('limit') ?? String(MAX_LOG_ENTRIES);
  return /^[1-9]\d{0,2}$/.test(limit) && Number(limit) <= MAX_LOG_ENTRIES ? Number(limit) : undefined;
};

/** Returns the accepted and refused calls about one user, oldest first. */
const callsTo = (calls: readonly Call[], contact: string): readonly Call[] => {
  const key = contactKey(contact);
  return calls.filter((call) => call.contact !== null && contactKey(call.contact) === key);
};
