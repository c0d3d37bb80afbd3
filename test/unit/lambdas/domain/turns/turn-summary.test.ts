import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MAX_DETAIL_BYTES, serializeEvent } from '../../../../../lambdas/domain/events/serialize-event.ts';
import type { TurnMessage } from '../../../../../lambdas/domain/turns/turn.ts';
import { turnEvents } from '../../../../../lambdas/domain/turns/turn-events.ts';
import { EMPTY_SUMMARY, summarizeMessage, type TurnSummary } from '../../../../../lambdas/domain/turns/turn-summary.ts';
import { NOW, USER } from '../../../../support/builders.ts';
import { change } from '../events/changes.ts';

const TURN = { contact: { platform: 'chat', channel: '*', key: '1' }, firstMessageId: 'm0', startedAt: NOW };

const textOf = (characters: number, letter: string) => letter.repeat(characters);
const messageOf = (index: number, body: object): TurnMessage => ({
  id: `m${index}`,
  createdAt: NOW,
  body: JSON.stringify({ _id_: `m${index}`, FROM: USER, ...body }),
});

/** Returns the event of a summary. */
const publish = (summary: TurnSummary, content = true) => {
  const [event] = turnEvents(change({ kind: 'turn' }), { ...TURN, messageIds: [] }, summary);
  if (event === undefined) throw new Error('A turn with messages is published.');
  return JSON.parse(serializeEvent(event, { content }).detail);
};

/** Returns the summary as if there were no limit, so that only `serializeEvent` shortens the texts. */
const unlimited = (messages: readonly TurnMessage[]): TurnSummary => ({
  ...EMPTY_SUMMARY,
  messages: messages.flatMap((message) => summarizeMessage(EMPTY_SUMMARY, message).messages),
});

const arbitraryBody = fc
  .record({
    characters: fc.oneof(fc.integer({ min: 0, max: 12_000 }), fc.constantFrom(999, 1_000, 1_001, 8_000, 8_001)),
    letter: fc.constantFrom('x', 'é', '😀'),
    isMedia: fc.boolean(),
  })
  .map(({ characters, letter, isMedia }) =>
    isMedia ? { IMAGES_URLS: [textOf(characters, letter)] } : { MESSAGE: textOf(characters, letter) },
  );

it('a turn is published as if all of its messages had been in memory', () => {
  fc.assert(
    fc.property(fc.array(arbitraryBody, { minLength: 1, maxLength: 60 }), (bodies) => {
      const messages = bodies.map((body, index) => messageOf(index, body));
      expect(publish(messages.reduce(summarizeMessage, EMPTY_SUMMARY))).toEqual(publish(unlimited(messages)));
    }),
    { numRuns: 60 },
  );
});

it('the summary of a turn keeps no more than an event has room for, whatever the size of the messages', () => {
  let summary = EMPTY_SUMMARY;
  for (let index = 0; index < 300; index += 1) {
    const body = index % 2 === 0 ? { MESSAGE: textOf(100_000, 'x') } : { FILES_URLS: Array(20_000).fill('') };
    summary = summarizeMessage(summary, messageOf(index, body));
    expect(JSON.stringify(summary.messages.map(({ content }) => content)).length).toBeLessThan(2 * MAX_DETAIL_BYTES);
  }
  const { content: _content, ...withoutContent } = publish(summary);
  expect(withoutContent).toMatchObject({ truncated: true, platformContactId: USER });
  expect(withoutContent.messages).toHaveLength(300);
  expect(publish(summary, false)).not.toHaveProperty('truncated');
});
