import { expect, it } from 'vitest';
import { createRunFolder } from '../../local/base/run-folder.ts';
import { clientTable, runClient } from '../contract/chat-service/run-client.ts';
import { referenceFile } from '../contract/references/installed-tool.ts';
import { installPythonPackages } from './examples/python-packages.ts';
import { printSkipped } from './examples/tools.ts';

it('the sandbox answers every call of a client that others wrote for such a chat service', async ({ skip }) => {
  await using folder = await createRunFolder();
  const installed = await installPythonPackages(folder.path, referenceFile('botmaker/requirements.txt'));
  if (typeof installed === 'string') {
    printSkipped('the independent client of the chat service', installed);
    return skip(installed);
  }

  const rows = await runClient(installed.python);

  const table = clientTable(rows);
  process.stdout.write(`\nThe calls of the independent client:\n${table}\n`);
  expect(rows.filter(({ isExpected }) => !isExpected)).toEqual([]);
});
