import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The interfaces of what functions are built from. */
const OPTIONS =
  /interface (\w*(?:Options|Ports|SendContext|Rules|Meanings|CallSettings|Listing|Lane|QueueUrls|Target))\b[^{]*\{\n(.*?)\n\}/gs;

/** Options of single calls, and what only tests replace. */
const EXCEPTIONS = ['CallOptions', 'ListOptions', 'ShardListOptions'];
const REPLACED_BY_TESTS = ['TableOptions.sleep', 'TableOptions.random', 'TableOptions.monotonicMs'];

it('functions are built from options that are all required, so that none can be forgotten', () => {
  const found = globSync('lambdas/**/*.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(OPTIONS)].map(([, name = '', body = '']) => ({ name, body })),
  );
  const optional = found
    .filter(({ name }) => !EXCEPTIONS.includes(name))
    .flatMap(({ name, body }) => [...body.matchAll(/^ {2}(?:readonly )?(\w+)\?/gm)].map(([, key]) => `${name}.${key}`));

  expect(found.length).toBeGreaterThan(40);
  expect(optional).toEqual(REPLACED_BY_TESTS);
});
