import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatRoute, parseRoute, type Route, TABS } from '../../../../sandbox/console/page/state/route.ts';

const id = fc.string({ minLength: 1, unit: 'binary' }).map((text) => text.toWellFormed());
const route: fc.Arbitrary<Route> = fc.record({
  user: fc.option(id, { nil: undefined }),
  selection: fc.option(fc.record({ kind: fc.constantFrom('message', 'request'), id }), { nil: undefined }),
  tab: fc.constantFrom(...TABS),
  filter: fc.record({ text: id, state: fc.option(id, { nil: undefined }) }),
});

describe("the console's URLs", () => {
  it('restore every route, whatever its ids contain', () => {
    fc.assert(
      fc.property(route, (given) => {
        expect(parseRoute(new URL(formatRoute(given), 'http://localhost').search)).toEqual(given);
      }),
    );
  });

  it('leave out defaults', () => {
    expect(formatRoute(parseRoute(''))).toBe('/');
    expect(formatRoute(parseRoute('?user=%2B5491155550001&request=parcel-1&tab=requests&state=refused&q=late'))).toBe(
      '/?user=%2B5491155550001&request=parcel-1&tab=requests&state=refused&q=late',
    );
  });

  it.each([
    ['?tab=nothing', { tab: 'user' }],
    ['?user=&message=', { user: undefined, selection: undefined }],
    ['?text=Hello&chatChannelNumber=%2B54', { user: undefined, filter: { text: '', state: undefined } }],
  ])('ignore what they do not know: %s', (search, expected) => {
    expect(parseRoute(search)).toMatchObject(expected);
  });
});
