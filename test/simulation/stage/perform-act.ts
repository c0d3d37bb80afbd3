import { resourcePath } from '../../../cli/operations/resource-path.ts';
import { contactKey } from '../../../lambdas/domain/contact.ts';
import { requestIdIn } from '../world/journal.ts';
import type { Act, ActKind } from './history.ts';
import type { Stage } from './stage.ts';
import type { StageContext } from './stage-context.ts';
import { echoEvent, messageEvent, statusEvent } from './wire-events.ts';

/** Performs the acts of a history. */
export const createPerformAct = (context: StageContext, stage: Stage): ((act: Act) => void) => {
  const { record, clock } = context;
  const { chatService, delivery, queues, operator, calls, secret } = stage;
  const counts = new Map<string, number>();
  /** The same for the same act of the same contact, so that other acts can be left out. */
  const numbered = (name: string): string => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return `${name}-${count}`;
  };
  const read = new Set<string>();

  let tokens = 1;
  /** The rotation whose token is in the secret. */
  let latest = 1;
  const messageIdOf = (requestId: string): string =>
    chatService.effects.findLast(({ body }) => requestIdIn(body) === requestId)?.id ?? `message-of-${requestId}-unseen`;

  const performers: { readonly [Kind in ActKind]: (act: Extract<Act, { kind: Kind }>) => void } = {
    'user-writes'({ contact, text }) {
      chatService.userWrites(contact);
      delivery.publish(messageEvent(context, { id: numbered(`message-from-${contactKey(contact)}`), contact, text }));
    },
    'user-reads'({ contact }) {
      const key = contactKey(contact);
      for (const { id, body, transactionId, contact: user } of chatService.effects) {
        if (user !== key || read.has(id)) continue;
        read.add(id);
        delivery.publish(statusEvent(context, { id, body, transactionId, STATUS: 'read' }));
      }
    },
    echo({ contact, text }) {
      const id = numbered(`echo-to-${contactKey(contact)}`);
      delivery.publish(echoEvent(context, { id, contact, text, operator: 'ana' }));
    },
    'unknown-event'({ body }) {
      delivery.publish({ eventId: numbered('unknown'), body });
    },
    'unauthenticated-event'({ contact, text }) {
      const id = numbered(`message-not-from-${contactKey(contact)}`);
      delivery.publish(messageEvent(context, { id, contact, text, isUnauthenticated: true }));
    },
    request(act) {
      const { via, body, groupId, deduplicationId } = act;
      const queue = queues[context.features.bulkLane === true && act.lane === 'bulk' ? 'bulk' : 'send'];
      if (via === 'api') {
        operator.act(act, { method: 'POST', path: '/v1/sends', body });
        return;
      }
      const put = (): void => {
        const until = calls.unavailableUntil('queues');
        // An internal system repeats the call until SQS accepts the message.
        if (until === undefined) queue.put({ body, groupId, deduplicationId });
        else context.after(until - clock.ms + PRODUCER_RETRY_MS, `queue ${deduplicationId} again`, put);
      };
      put();
    },
    cancel(act) {
      operator.act(act, { method: 'POST', path: '/v1/cancellations', body: { requestId: act.requestId } });
    },
    requeue(act) {
      operator.act(act, { method: 'POST', path: '/v1/requeues', body: { requestId: act.requestId } });
    },
    resolve(act) {
      const { requestId, as } = act;
      const messageId = as === 'accepted' ? { messageId: messageIdOf(requestId) } : {};
      operator.act(act, { method: 'POST', path: '/v1/resolutions', body: { requestId, outcome: as, ...messageId } });
    },
    consent(act) {
      const { contact, consent, origin, agoMs } = act;
      const at = new Date(clock.ms - agoMs).toISOString();
      const body = { platformContactId: contact, source: origin === 'user' ? 'form' : 'list', origin, at };
      operator.act(act, { method: 'POST', path: `/v1/${consent}s`, body });
    },
    handover(act) {
      const { contact: platformContactId, to } = act;
      operator.act(act, { method: 'POST', path: `/v1/${HANDOVER_PATHS[to]}`, body: { platformContactId } });
    },
    erase(act) {
      operator.act(act, { method: 'DELETE', path: resourcePath('contacts', 'platformContactId', act.contact) });
    },
    redrive: (act) => operator.redrive(act),
    stop(act) {
      operator.act(act, { method: 'POST', path: '/v1/stops', body: { note: act.note } });
    },
    resume(act) {
      operator.act(act, { method: 'POST', path: '/v1/resumptions', body: {} });
    },
    'retry-now'(act) {
      operator.act(act, { method: 'POST', path: '/v1/circuit-breaker-closures', body: {} });
    },
    credit({ hasCredit }) {
      chatService.setCredit(hasCredit);
    },
    'rotate-token'({ secretFollowsMs }) {
      tokens += 1;
      const rotation = tokens;
      const token = `access-token-${rotation}`;
      chatService.setToken(token);
      const follow = (): void => {
        // A later rotation may have reached the secret first.
        if (rotation < latest) return;
        latest = rotation;
        secret.token = token;
      };
      if (secretFollowsMs === 0) follow();
      else context.after(secretFollowsMs, `the secret becomes ${token}`, follow);
    },
    template({ name, isApproved }) {
      chatService.setTemplate(name, isApproved);
    },
    platform({ contact, isOnPlatform }) {
      chatService.setOnPlatform(contact, isOnPlatform);
    },
    device: ({ contact, isOn }) => stage.setDevice(contact, isOn),
    crash: ({ lambda }) => stage.crash(lambda),
    throttle: ({ forMs }) => stage.throttle(clock.ms + forMs),
    'lock-secret': ({ forMs }) => stage.lockSecret(clock.ms + forMs),
    outage({ part, how, forMs }) {
      calls.startOutage(part, how, clock.ms + forMs);
    },
  };
  return (act) => {
    record({ kind: 'act', act });
    // Each performer is only called with its own kind of act.
    (performers[act.kind] as (performed: Act) => void)(act);
  };
};

const HANDOVER_PATHS = { people: 'handovers', automated: 'handbacks' } as const;

/** How long after an outage an internal system retries a call. */
const PRODUCER_RETRY_MS = 1_000;
