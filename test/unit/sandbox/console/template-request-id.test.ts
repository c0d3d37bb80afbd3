import { expect, it } from 'vitest';
import { templateRequestId } from '../../../../sandbox/console/page/state/enqueue-template.ts';

it.each([
  ['order-1', 1, 'order-1-template'],
  ['order-1', 2, 'order-1-template-2'],
  ['order-1-template', 2, 'order-1-template-2'],
  ['order-1-template-2', 3, 'order-1-template-3'],
  ['x'.repeat(128), 1, `${'x'.repeat(119)}-template`],
])('derives the ID of a request that replaces %s, number %i', (requestId, n, expected) => {
  expect(templateRequestId(requestId, n)).toBe(expected);
});
