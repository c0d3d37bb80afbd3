import fc from 'fast-check';
import { ITEM_KINDS } from '../../../../../lambdas/domain/events/item-change.ts';
import { SEND_STATES } from '../../../../../lambdas/domain/send-transitions.ts';
import { changeBy } from './changes.ts';

const AT = '2026-11-20T11:00:05.000Z';

const value = fc.oneof(
  fc.constantFrom('inbound', 'outbound', 'open', 'closed', AT),
  fc.constant(new Set(['odd', `queued ${AT}`])),
  fc.constant(JSON.stringify({ FROM: ['odd'], MESSAGE: 7, IMAGES_URLS: ['https://a.example/1.png', 1] })),
  fc.jsonValue(),
);
const attributes = [
  ...['direction', 'createdAt', 'body', 'echoAt', 'echoBody', 'sentAt', 'deliveredAt', 'readAt', 'failedAt'],
  ...['failedBody', 'otherStatuses', 'requestId', 'why', 'decision', 'outcome', 'call', 'messageId'],
  ...['handoverAt', 'handbackAt', 'operatorWroteAt', 'operatorUntil'],
  ...['code', 'refusedAt', 'acceptedAt', 'circuit', 'openedAt', 'closedAt', 'reason'],
  ...['missingSince', 'silentSince', 'spokeAt', 'line'],
];
const image = fc.record(
  {
    ...Object.fromEntries(attributes.map((name) => [name, value])),
    state: fc.oneof({ arbitrary: fc.constantFrom(...SEND_STATES), weight: 4 }, value),
  },
  { requiredKeys: [] },
);
/** Any write to an item of any kind, with values of any type. */
export const arbitraryWrite = fc.record({ kind: fc.constantFrom(...ITEM_KINDS), before: image, after: image });

/** What such a write changed. */
export const arbitraryChange = arbitraryWrite.map(changeBy);
