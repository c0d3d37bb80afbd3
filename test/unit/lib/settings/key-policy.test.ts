import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { keyStatements } from '../../../../lib/settings/key-policy.ts';

test('The statements for the policy of an existing key are in docs/existing-resources.md', () => {
  const page = readFileSync(new URL('../../../../docs/existing-resources.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('\n## A key\n');
  const [, json = ''] = /```json\n(.*?)\n```/s.exec(section) ?? [];

  expect(JSON.parse(json)).toEqual(
    keyStatements({
      partition: 'aws',
      region: 'REGION',
      urlSuffix: 'amazonaws.com',
      account: 'ACCOUNT',
      stackName: 'Parley-STAGE',
      hasEventBus: true,
      hasEventDeadLetters: true,
    }),
  );
});
