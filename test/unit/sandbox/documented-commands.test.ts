import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startTestSandbox } from '../../support/running-sandbox.ts';
import { PAGES } from '../documents/markdown.ts';

/** The commands in docs/sandbox.md, in their order. */
const commands = (PAGES.find(({ file }) => file === 'docs/sandbox.md')?.blocks ?? [])
  .filter(({ language }) => language === 'sh')
  .flatMap(({ code }) => code.replaceAll('\\\n', ' ').split('\n'))
  .filter((line) => line.startsWith('curl '));

test('the curl commands in docs/sandbox.md succeed on a new sandbox', async () => {
  const { url } = await startTestSandbox();
  const statuses: string[] = [];

  for (const command of commands) {
    const local = command.replaceAll('http://127.0.0.1:4000', url);
    const { stdout } = await promisify(execFile)('sh', [
      '-c',
      `${local} --silent --output /dev/null -w '%{http_code}'`,
    ]);
    statuses.push(`${command}: ${stdout.slice(0, 1)}xx`);
  }

  expect(commands.length).toBeGreaterThan(5);
  expect(statuses).toEqual(commands.map((command) => `${command}: 2xx`));
});
