import { marshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ITEM_KINDS, type ItemKind } from '../../../../lambdas/domain/events/item-change.ts';
import { itemEvents } from '../../../../lambdas/domain/events/item-events.ts';
import { SEND_STATES } from '../../../../lambdas/domain/send-transitions.ts';
import { readItemChange } from '../../../../lambdas/table/item-changes.ts';
import {
  accountKey,
  auditKey,
  CHANNELS_KEY,
  channelDayKey,
  channelKey,
  checkKeyOf,
  consentKeyOf,
  contactKeyOf,
  deadLetterKeys,
  denialKeyOf,
  echoKey,
  erasureKey,
  handoverKeyOf,
  type ItemKey,
  messageKey,
  sendKey,
  turnKeyOf,
} from '../../../../lambdas/table/keys.ts';
import { readEventPattern } from '../../../../local/emulators/event-pattern.ts';
import { optIn } from '../../../support/builders.ts';
import { arbitraryWrite } from '../../lambdas/domain/events/arbitrary-change.ts';
import {
  consentImage,
  echoImage,
  type ItemImage,
  inboundImage,
  outboundImage,
  sendImage,
} from '../../lambdas/domain/events/changes.ts';
import { synthesizedStack } from '../synthesized-stack.ts';

const CONTACT = { platform: 'chat', channel: '*', key: '541155550000' };
const CHANNEL = { platform: 'chat', line: '5491100000000' };
const AT = '2026-11-20T11:00:05.000Z';

/** The key that the repositories give each kind of item whose changes are published. */
const KEYS: Readonly<Record<ItemKind, ItemKey>> = {
  message: messageKey('message-1'),
  echo: echoKey('message-1'),
  send: sendKey('request-1'),
  consent: consentKeyOf(CONTACT),
  handover: handoverKeyOf(CONTACT),
  turn: turnKeyOf(CONTACT),
  account: accountKey({ platform: 'chat', channel: '+5491100000000' }),
  channel: channelKey(CHANNEL),
};

/** All other keys of the table. */
const UNPUBLISHED: readonly ItemKey[] = [
  contactKeyOf(CONTACT),
  checkKeyOf(CONTACT),
  denialKeyOf(CONTACT),
  erasureKey('1'),
  auditKey('1'),
  CHANNELS_KEY,
  channelDayKey(CHANNEL, '2026-11-20'),
  ...Object.values(deadLetterKeys('1', { parts: 1, contacts: 1 })).flat(),
];

const mapping = z.object({
  Properties: z.object({ FilterCriteria: z.object({ Filters: z.array(z.object({ Pattern: z.string() })) }) }),
});
/** Returns the patterns of the mapping of the table's stream. */
const patternsOf = ({ template }: ReturnType<typeof synthesizedStack>) =>
  Object.values(
    template.findResources('AWS::Lambda::EventSourceMapping', { Properties: { StartingPosition: 'TRIM_HORIZON' } }),
  ).flatMap((resource) => mapping.parse(resource).Properties.FilterCriteria.Filters.map(({ Pattern }) => Pattern));
const filtersOf = (patterns: readonly string[]) =>
  patterns.map((pattern) => readEventPattern(JSON.parse(pattern), 'the filter'));

const patterns = patternsOf(synthesizedStack('prod'));
const filters = filtersOf(patterns);

const marshalled = (key: ItemKey, image: ItemImage) =>
  marshall({ ...image, ...key }, { allowImpreciseNumbers: true, removeUndefinedValues: true });

const recordOf = (key: ItemKey, after: ItemImage, before?: ItemImage) => ({
  eventName: before === undefined ? 'INSERT' : 'MODIFY',
  dynamodb: {
    Keys: marshalled(key, {}),
    NewImage: marshalled(key, after),
    ...(before && { OldImage: marshalled(key, before) }),
  },
});

const isDelivered = (record: unknown): boolean => filters.some((matches) => matches(record));
const publishes = (record: ReturnType<typeof recordOf>): boolean => {
  const change = readItemChange(record);
  return change !== undefined && itemEvents(change).length > 0;
};

describe("The filter of the table's stream", () => {
  test.each([
    { what: "a user's message", kind: 'message', after: inboundImage() },
    { what: 'an echo', kind: 'echo', after: echoImage() },
    ...(['sentAt', 'deliveredAt', 'readAt', 'failedAt'] as const).map((attribute) => ({
      what: `the status ${attribute} of a sent message`,
      kind: 'message' as const,
      after: outboundImage({ [attribute]: AT }),
    })),
    { what: 'a status before its message', kind: 'message', after: { deliveredAt: AT } },
    { what: 'another status', kind: 'message', after: { otherStatuses: new Set([`queued ${AT}`]) } },
    ...(['accepted', 'refused', 'rejected', 'expired', 'uncertain', 'cancelled'] as const).map((state) => ({
      what: `a send that becomes ${state}`,
      kind: 'send' as const,
      after: sendImage({ state, [`${state}At`]: AT }),
    })),
    { what: 'a consent', kind: 'consent', after: consentImage(optIn(AT)) },
    { what: 'a message that is missing', kind: 'message', after: { missingSince: AT } },
    { what: 'a channel that is silent', kind: 'channel', after: { silentSince: AT } },
    { what: 'a channel that resumes', kind: 'channel', after: { spokeAt: AT }, before: { silentSince: AT } },
    { what: 'an account on hold', kind: 'account', after: { circuit: 'open', openedAt: AT } },
    {
      what: 'an account that resumes',
      kind: 'account',
      after: { circuit: 'closed', closedAt: AT },
      before: { circuit: 'open' },
    },
  ] as const)('delivers $what', ({ kind, after, ...change }) => {
    const record = recordOf(KEYS[kind], after, 'before' in change ? change.before : undefined);

    expect(publishes(record)).toBe(true);
    expect(isDelivered(record)).toBe(true);
  });

  test('delivers every change that publishes an event', () => {
    const published = new Set<ItemKind>();
    fc.assert(
      fc.property(arbitraryWrite, ({ kind, before, after }) => {
        const record = recordOf(KEYS[kind], after, before);
        if (!publishes(record)) return;
        published.add(kind);
        expect(isDelivered(record)).toBe(true);
      }),
      { numRuns: 8_000 },
    );

    // Random attributes contain no consent, and the event of a turn needs its messages.
    expect([...published].sort()).toEqual(ITEM_KINDS.filter((kind) => kind !== 'consent' && kind !== 'turn').sort());
  });

  test.each(UNPUBLISHED)('leaves out the item $pk $sk, whatever it contains', (key) => {
    const record = recordOf(key, { ...inboundImage(), state: 'accepted', deliveredAt: AT, circuit: 'open' });

    expect(publishes(record)).toBe(false);
    expect(isDelivered(record)).toBe(false);
  });

  test.each(SEND_STATES.filter((state) => !publishes(recordOf(sendKey('request-1'), sendImage({ state })))))(
    'leaves out a send that becomes %s',
    (state) => {
      expect(isDelivered(recordOf(sendKey('request-1'), sendImage({ state })))).toBe(false);
    },
  );

  test('leaves out a message that Parley sent until it has a status', () => {
    expect(isDelivered(recordOf(messageKey('message-1'), outboundImage()))).toBe(false);
  });

  test('delivers each message of a turn, and its end', () => {
    const turn = { firstMessageId: 'a', messageIds: new Set(['a']) };
    expect(isDelivered(recordOf(KEYS.turn, turn))).toBe(true);
    expect(isDelivered(recordOf(KEYS.turn, turn, turn))).toBe(true);
    const { Keys, NewImage } = recordOf(KEYS.turn, turn).dynamodb;
    expect(isDelivered({ eventName: 'REMOVE', dynamodb: { Keys, OldImage: NewImage } })).toBe(true);
  });

  test.each(Object.values(KEYS).filter((key) => key !== KEYS.turn))('leaves out the deletion of $pk $sk', (key) => {
    const { Keys, NewImage } = recordOf(key, { ...inboundImage(), state: 'accepted' }).dynamodb;

    expect(isDelivered({ eventName: 'REMOVE', dynamodb: { Keys, OldImage: NewImage } })).toBe(false);
  });

  // Source: https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
  test('has at most the five patterns of the default quota, each of at most 4,096 characters', () => {
    expect(patterns.length).toBeGreaterThan(0);
    expect(patterns.length).toBeLessThanOrEqual(5);
    for (const pattern of patterns) expect(pattern.length).toBeLessThanOrEqual(4_096);
  });
});
