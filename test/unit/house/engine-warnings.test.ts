import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '../../..');

const { packages } = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        optional: z.boolean().optional(),
        engines: z.object({ node: z.string().optional() }).or(z.array(z.string())).optional(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));

/** Whether a range of versions has room for the latest Node.js 20. Enough for the ranges that packages write. */
const accepts20 = (range: string): boolean =>
  range.split('||').some((part) => {
    const [, operator = '', major = '0'] = /^\s*(\^|~|>=|>)?\s*v?(\d+)/.exec(part) ?? [];
    return operator.startsWith('>') ? Number(major) <= 20 : Number(major) === 20 || part.trim() === '*';
  });

it('the README names the packages about which npm warns under Node.js 20, and no other', () => {
  // npm does not warn about an optional package.
  const warned = Object.entries(packages).flatMap(([path, { optional = false, engines }]) => {
    const range = engines === undefined || Array.isArray(engines) ? undefined : engines.node;
    return path === '' || optional || range === undefined || accepts20(range)
      ? []
      : [path.replace(/^.*node_modules\//, '')];
  });
  const [, sentence = ''] =
    /npm prints `EBADENGINE` warnings for (.*?)\./s.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];

  expect([...sentence.matchAll(/`([^`]+)`/g)].map(([, name]) => name)).toEqual(warned.toSorted());
});
