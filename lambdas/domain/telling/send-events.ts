import { readInstant } from '../instant.ts';
import type { SendState } from '../send-state.ts';
import { eventId } from './event-id.ts';
import { type ItemChange, type ItemImage, textOf } from './item-change.ts';
import type { ToldEvent } from './told-details.ts';
import type { ToldEventName } from './told-event-names.ts';

/** The states that end a request, or that a person should hear of; `claimed`, `waiting` and `scheduled` are on the way. */
const TOLD = {
  accepted: 'SendAccepted',
  refused: 'SendRefused',
  rejected: 'SendRejected',
  expired: 'SendExpired',
  uncertain: 'SendUncertain',
  cancelled: 'SendCancelled',
} as const satisfies Partial<Record<SendState, ToldEventName>>;

/** What a write to a send's item tells: the state that it came to. */
export const sendEvents = (change: ItemChange): readonly ToldEvent[] => {
  const { id: requestId, contact, before, after } = change;
  const { state } = after;
  if (typeof state !== 'string' || !isTold(state) || before.state === state) return [];
  const name = TOLD[state];
  const since = textOf(after, `${state}At`);
  const at = readInstant(since) ?? change.writtenAt;
  // A request that is resent may become uncertain more than once.
  const common = { id: eventId(name, change, since), requestId, contact, at, why: textOf(after, 'why') };
  const content = { request: textOf(after, 'body') };
  switch (name) {
    case 'SendAccepted': {
      const call = callOf(after);
      const detail = { ...common, messageId: textOf(after, 'messageId') ?? '', endpoint: call.endpoint };
      return [{ name, detail: { ...detail, content: { body: call.body } } }];
    }
    case 'SendRefused':
      return [{ name, detail: { ...common, code: textOf(after, 'code'), content } }];
    default:
      return [{ name, detail: { ...common, content } }];
  }
};

const isTold = (state: string): state is keyof typeof TOLD => Object.hasOwn(TOLD, state);

const callOf = ({ call }: ItemImage): { endpoint?: 'message/v3' | 'intent/v2'; body?: Record<string, unknown> } => {
  if (typeof call !== 'object' || call === null) return {};
  const endpoint = 'endpoint' in call ? call.endpoint : undefined;
  const body = 'body' in call && typeof call.body === 'object' && call.body !== null ? { ...call.body } : undefined;
  return { endpoint: endpoint === 'message/v3' || endpoint === 'intent/v2' ? endpoint : undefined, body };
};
