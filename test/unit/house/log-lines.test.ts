import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LOG_LINES } from '../../support/log-lines.ts';

// The tests that search what Parley logs must know every line that it can log.

const sources = (): readonly string[] =>
  readdirSync('lambdas', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join('lambdas', file), 'utf8'));

/** Returns the messages of a file's log lines. A message may depend on a condition, or contain a value. */
const messagesIn = (source: string): readonly string[] =>
  [...source.matchAll(/\blog(\.(?:info|warn|error)|\[\w+\])\(((?:'[^']*'|`[^`]*`|[^,)'`])*)/g)].flatMap(
    ([call, access = '', first = '']) => {
      const text = access.startsWith('[') ? [...source.matchAll(/\bmessage: ('[^']+')/g)].join() : first;
      const literals = [...text.matchAll(/'([^']+)'|`([^`]+)`/g)].map(([, plain, template]) => plain ?? template ?? '');
      return literals.length > 0 ? literals : [`not a literal: ${call}`];
    },
  );

/** Whether a line is an instance of a message, whose values are single words. */
const isInstance = (line: string, message: string): boolean =>
  new RegExp(`^${message.replace(/[.*+?^()|[\]\\]/g, String.raw`\$&`).replace(/\$\{\w+\}/g, String.raw`\w+`)}$`).test(
    line,
  );

it('every line that the functions log is listed with the test that searches it', () => {
  const messages = [...new Set(sources().flatMap(messagesIn))];
  const lines = Object.keys(LOG_LINES);

  expect(messages.length).toBeGreaterThan(40);
  expect(messages.filter((message) => !lines.some((line) => isInstance(line, message)))).toEqual([]);
  expect(lines.filter((line) => !messages.some((message) => isInstance(line, message)))).toEqual([]);
});
