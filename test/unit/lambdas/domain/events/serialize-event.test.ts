import { describe, expect, it } from 'vitest';
import { itemEvents } from '../../../../../lambdas/domain/events/item-events.ts';
import { MAX_DETAIL_BYTES, serializeEvent } from '../../../../../lambdas/domain/events/serialize-event.ts';
import { change, inboundImage, sendChange, sendImage } from './changes.ts';

const serialize = (text: string, content = true) => {
  const [event] = itemEvents(change({ after: inboundImage({}, { MESSAGE: text }) }));
  if (event === undefined) throw new Error('A stored message is published.');
  return serializeEvent(event, { content });
};
const detailOf = (text: string, content = true) => JSON.parse(serialize(text, content).detail);

describe('serializeEvent', () => {
  it('returns the detail with its content, and the id, name, and time beside it', () => {
    const event = serialize('Hello');
    const detail = JSON.parse(event.detail);

    expect(detail.content.text).toBe('Hello');
    expect(event).toMatchObject({ name: 'MessageReceived', id: detail.id, at: detail.at });
    expect(detail).not.toHaveProperty('truncated');
  });

  it('leaves out the content, and nothing else, when the stage publishes none', () => {
    const { content: _content, ...rest } = detailOf('Hello');

    expect(detailOf('Hello', false)).toEqual(rest);
    expect(serialize('secret words', false).detail).not.toContain('secret');
  });

  it('shortens the long strings of a detail that is too large, and marks it as truncated', () => {
    const detail = detailOf('é'.repeat(200_000));

    expect(detail.truncated).toBe(true);
    expect(detail.content.text).toBe(`${'é'.repeat(8_000)}…`);
    expect(detail.content.event).toHaveLength(8_001);
  });

  it('leaves the short strings of a detail that is too large unchanged', () => {
    const [event] = itemEvents(sendChange(sendImage({ call: callWith({ short: 'Ana', long: 'x'.repeat(300_000) }) })));
    if (event === undefined) throw new Error('An accepted send is published.');

    const { content, truncated } = JSON.parse(serializeEvent(event, { content: true }).detail);

    expect(truncated).toBe(true);
    expect(content.body.params).toEqual({ short: 'Ana', long: `${'x'.repeat(8_000)}…` });
  });

  it('does not split a character', () => {
    const { content } = detailOf(`x${'😀'.repeat(200_000)}`);

    expect(content.text.isWellFormed()).toBe(true);
  });

  it('shortens strings once more if there are many, and drops the content only if that is not enough', () => {
    const detailOf = (count: number) => {
      const params = Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, 'x'.repeat(4_000)]));
      const [event] = itemEvents(sendChange(sendImage({ call: callWith(params) })));
      if (event === undefined) throw new Error('An accepted send is published.');
      const { detail } = serializeEvent(event, { content: true });
      expect(Buffer.byteLength(detail)).toBeLessThanOrEqual(MAX_DETAIL_BYTES);
      return JSON.parse(detail);
    };

    expect(detailOf(100)).toMatchObject({
      truncated: true,
      content: { body: { params: { p99: `${'x'.repeat(1_000)}…` } } },
    });
    expect(detailOf(300)).toMatchObject({ truncated: true, requestId: 'request-1' });
    expect(detailOf(300)).not.toHaveProperty('content');
  });
});

const callWith = (params: Record<string, string>) => ({ endpoint: 'intent/v2', body: { params } });
