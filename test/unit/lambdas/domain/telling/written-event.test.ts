import { describe, expect, it } from 'vitest';
import { itemEvents } from '../../../../../lambdas/domain/telling/item-events.ts';
import { MAX_DETAIL_BYTES, writeEvent } from '../../../../../lambdas/domain/telling/written-event.ts';
import { change, inboundImage, sendChange, sendImage } from './changes.ts';

const written = (text: string, content = true) => {
  const [event] = itemEvents(change({ after: inboundImage({ text }) }));
  if (event === undefined) throw new Error('A stored message is told.');
  return writeEvent(event, { content });
};
const detailOf = (text: string, content = true) => JSON.parse(written(text, content).detail);

describe('an event for the bus', () => {
  it('carries what was written, and its id and time beside it', () => {
    const event = written('Hello');
    const detail = JSON.parse(event.detail);

    expect(detail.content.text).toBe('Hello');
    expect(event).toMatchObject({ name: 'MessageReceived', id: detail.id, at: detail.at });
    expect(detail).not.toHaveProperty('cut');
  });

  it('leaves the content out where the stage tells none, and nothing else', () => {
    const { content: _content, ...rest } = detailOf('Hello');

    expect(detailOf('Hello', false)).toEqual(rest);
    expect(written('secret words', false).detail).not.toContain('secret');
  });

  it('that is too large has its texts cut, and says so', () => {
    const detail = detailOf('é'.repeat(200_000));

    expect(detail.cut).toBe(true);
    expect(detail.content.text).toBe(`${'é'.repeat(8_000)}…`);
    expect(detail.content.event).toBe(inboundImage().body);
  });

  it('does not cut a character in two', () => {
    const { content } = detailOf(`x${'😀'.repeat(200_000)}`);

    expect(content.text.isWellFormed()).toBe(true);
  });

  it('that is too large even so goes without its content', () => {
    const params = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`p${index}`, 'x'.repeat(4_000)]));
    const [event] = itemEvents(sendChange(sendImage({ call: { endpoint: 'intent/v2', body: { params } } })));
    if (event === undefined) throw new Error('An accepted send is told.');

    const { detail } = writeEvent(event, { content: true });

    expect(JSON.parse(detail)).toMatchObject({ cut: true, requestId: 'request-1' });
    expect(JSON.parse(detail)).not.toHaveProperty('content');
    expect(Buffer.byteLength(detail)).toBeLessThanOrEqual(MAX_DETAIL_BYTES);
  });
});
