import { describe, expect, it } from 'vitest';
import { ACCOUNT, NOW, USER, wireMessage, wireStatus } from '../../support/builders.ts';
import { parseEvent } from '../../support/single-event.ts';
import { partsOf } from '../search/expected-parts.ts';
import { bodiesInPost, postOf, translateEvent, WIRE_FORMATS, type WireFormat } from './translate-event.ts';

const context = { times: { receivedAt: NOW }, chatPlatform: ACCOUNT.platform, windowPer: 'user' } as const;
const image = { MESSAGE: '', IMAGES_URLS: ['https://media.example/1.jpg'] };
const echo = { FROM: 'me', TO: USER };
const EVENTS = [
  wireMessage(),
  wireMessage(image),
  wireMessage({ CREATION_TIME: undefined }),
  wireMessage(echo),
  wireMessage({ ...echo, OPERATOR_ID: 'ana' }),
  wireStatus(),
  wireStatus({ STATUS: 'failed', REASON: '131026.0' }),
  wireMessage({ STATUS: 'received' }),
];

/** What Parley makes of an event, apart from its format. */
const meaningOf = (event: Readonly<Record<string, unknown>>) => {
  const parsed = parseEvent(JSON.stringify(event), context);
  if (parsed.kind === 'unreadable') throw new Error(parsed.reason);
  const { body: _, traceparent: _trace, ...known } = { sender: undefined, name: undefined, ...parsed.event };
  const {
    sender: _sender,
    senderName: _name,
    address: _address,
    ...others
  } = {
    senderName: undefined,
    address: undefined,
    ...known,
  };
  return others;
};

describe('an event in another format', () => {
  const translated = WIRE_FORMATS.flatMap((format) =>
    EVENTS.flatMap((event, index) => {
      const other = translateEvent(event, format);
      return other === undefined ? [] : [{ format, index, event, other }];
    }),
  );

  it.each(translated)('says the same to Parley: $format $index', ({ event, other }) => {
    expect(meaningOf(other)).toEqual(meaningOf(event));
  });

  it('stays in the format of the contract if the other one cannot express it', () => {
    const left = (format: WireFormat) => EVENTS.filter((event) => translateEvent(event, format) === undefined).length;
    expect(WIRE_FORMATS.map(left)).toEqual([0, 3, 1, 4]);
  });

  it('is an echo, of nobody, if it does not say who wrote it', () => {
    for (const format of ['camelCase', 'v1.1'] as const) {
      const event = translateEvent(wireMessage(echo), format, { sender: 'nobody' });
      const parsed = parseEvent(JSON.stringify(event), context);
      expect(parsed).toMatchObject({ event: { kind: 'echo', sender: 'unknown' } });
    }
    expect(partsOf({ event: wireMessage(echo) })).toMatchObject([{ kind: 'echo' }]);
  });
});

describe('a post of several events', () => {
  const inV1 = (event: Readonly<Record<string, unknown>>) => JSON.stringify(translateEvent(event, 'v1.1'));
  const messages = [inV1(wireMessage()), inV1(wireMessage({ _id_: 'message-2' }))];

  it('is one list of messages if they share their envelope', () => {
    expect(JSON.parse(postOf(messages)).messages).toHaveLength(2);
    expect(bodiesInPost(postOf(messages))).toEqual(messages);
  });

  it('is an array of events otherwise', () => {
    const mixed = [...messages, JSON.stringify(wireStatus()), '{"_id_":7}'];
    expect(JSON.parse(postOf(mixed))).toHaveLength(4);
    expect(bodiesInPost(postOf(mixed))).toEqual(mixed);
  });

  it('is the event itself if there is only one', () => {
    for (const body of [...messages, JSON.stringify(wireStatus()), 'ping', '[]']) {
      expect(bodiesInPost(postOf([body]))).toEqual([body]);
    }
  });
});
