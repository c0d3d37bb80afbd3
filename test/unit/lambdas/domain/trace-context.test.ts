import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { childSpan, parseTraceparent, startTrace, traceIdOf } from '../../../../lambdas/domain/trace-context.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN_ID = '00f067aa0ba902b7';
const VALID = `00-${TRACE_ID}-${SPAN_ID}-01`;

describe('parsing a traceparent', () => {
  it('returns a valid one unchanged', () => {
    expect(parseTraceparent(VALID)).toBe(VALID);
    expect(parseTraceparent(`00-${TRACE_ID}-${SPAN_ID}-00`)).toBe(`00-${TRACE_ID}-${SPAN_ID}-00`);
  });

  it('ignores the white space around a header value', () => {
    expect(parseTraceparent(`  ${VALID}\t`)).toBe(VALID);
  });

  // https://www.w3.org/TR/trace-context/#trace-flags and #other-flags
  it.each([
    ['03', '01'],
    ['ff', '01'],
    ['02', '00'],
    ['fe', '00'],
  ])('keeps only the flag sampled of %s', (flags, kept) => {
    expect(parseTraceparent(`00-${TRACE_ID}-${SPAN_ID}-${flags}`)).toBe(`00-${TRACE_ID}-${SPAN_ID}-${kept}`);
  });

  // https://www.w3.org/TR/trace-context/#versioning-of-traceparent
  it.each([
    ['of the same length', `01-${TRACE_ID}-${SPAN_ID}-01`],
    ['with another field', `cc-${TRACE_ID}-${SPAN_ID}-01-what-the-future-will-be-like`],
    ['with an empty field', `fe-${TRACE_ID}-${SPAN_ID}-01-`],
  ])('reads a later version %s as version 00', (_case, value) => {
    expect(parseTraceparent(value)).toBe(VALID);
  });

  it.each([
    ['nothing', undefined],
    ['an empty value', ''],
    ['another text', 'trace-1'],
    ['a trace ID of zeros', `00-${'0'.repeat(32)}-${SPAN_ID}-01`],
    ['a span ID of zeros', `00-${TRACE_ID}-${'0'.repeat(16)}-01`],
    ['upper case', `00-${TRACE_ID.toUpperCase()}-${SPAN_ID}-01`],
    ['a short trace ID', `00-${TRACE_ID.slice(1)}-${SPAN_ID}-01`],
    ['a long trace ID', `00-${TRACE_ID}0-${SPAN_ID}-01`],
    ['a short span ID', `00-${TRACE_ID}-${SPAN_ID.slice(1)}-01`],
    ['no flags', `00-${TRACE_ID}-${SPAN_ID}`],
    ['a digit that is not hexadecimal', `00-${TRACE_ID.replace('4', 'g')}-${SPAN_ID}-01`],
    ['the forbidden version', `ff-${TRACE_ID}-${SPAN_ID}-01`],
    ['a field after version 00', `${VALID}-00`],
    ['a later version that goes on without a dash', `01-${TRACE_ID}-${SPAN_ID}-01.00`],
    ['two headers that were joined', `${VALID},${VALID}`],
  ])('returns nothing for %s', (_case, value) => {
    expect(parseTraceparent(value)).toBeUndefined();
  });

  it('returns nothing or a version 00 that it reads back, for any text', () => {
    const hex = (length: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
    const almost = fc.tuple(hex(2), hex(32), hex(16), hex(2)).map((fields) => fields.join('-'));
    fc.assert(
      fc.property(fc.oneof(fc.string(), almost), (text) => {
        const parsed = parseTraceparent(text);
        expect(parsed === undefined || /^00-[\da-f]{32}-[\da-f]{16}-0[01]$/.test(parsed)).toBe(true);
        expect(parseTraceparent(parsed)).toBe(parsed);
      }),
    );
  });
});

describe('starting a trace', () => {
  it('is deterministic, valid, and not sampled', () => {
    const trace = startTrace('message', 'wamid.1');
    expect(startTrace('message', 'wamid.1')).toBe(trace);
    expect(parseTraceparent(trace)).toBe(trace);
    expect(trace).toMatch(/-00$/);
  });

  it('differs by kind and by ID', () => {
    const ids = [startTrace('message', 'a'), startTrace('send', 'a'), startTrace('message', 'b')].map(traceIdOf);
    expect(new Set(ids).size).toBe(3);
  });
});

describe('a child span', () => {
  it('has the trace and the flags of its parent, and a span ID of its own', () => {
    const child = childSpan(VALID, 'call-1');
    expect(parseTraceparent(child)).toBe(child);
    expect(child).toMatch(new RegExp(`^00-${TRACE_ID}-[\\da-f]{16}-01$`));
    expect(child).not.toBe(VALID);
  });

  it('is the same for the same step, and another for another step', () => {
    expect(childSpan(VALID, 'call-1')).toBe(childSpan(VALID, 'call-1'));
    expect(childSpan(VALID, 'call-2')).not.toBe(childSpan(VALID, 'call-1'));
  });
});

it('returns the ID of the trace', () => {
  expect(traceIdOf(VALID)).toBe(TRACE_ID);
});
