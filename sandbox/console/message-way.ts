import { shownBody } from '../carrier/carrier-message.ts';
import { deliveryView, expiredView, messageView } from '../control/views.ts';
import type { RunningService } from '../running-service.ts';

/** All that the service knows of one message's way: its events' webhook attempts, those that were given up, its calls. */
export const messageWay = ({ state, carrier, callLog }: RunningService, id: string) => {
  const message = state.messages.get(id);
  const isOfIt = speaksOf(id);
  const attempts = carrier.attempts().filter((attempt) => isOfIt(attempt.shownBody));
  const expired = carrier.expired().filter((event) => isOfIt(shownBody(event)));
  return {
    message: message === undefined ? null : messageView(message),
    deliveries: attempts.map(deliveryView),
    expired: expired.map(expiredView),
    calls: callLog.calls().filter((call) => call.messageId === id),
  };
};

/** The calls that concerned one user, the accepted and the refused, oldest first. */
export const callsTo = ({ callLog }: RunningService, contact: string) => {
  const digits = contact.replace(/^\+/, '');
  return { calls: callLog.calls().filter((call) => call.contact?.replace(/^\+/, '') === digits) };
};

/** Of the bytes, since there may be thousands of attempts and JSON takes long to read. */
const speaksOf = (id: string) => {
  const field = `"_id_":${JSON.stringify(id)}`;
  return (body: Uint8Array): boolean => Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes(field);
};
