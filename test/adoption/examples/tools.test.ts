import { expect, it } from 'vitest';
import { install, missingTool } from './tools.ts';

const printing = (text: string) => ['-e', `console.error(${JSON.stringify(text)}); process.exit(1);`];
const at = { cwd: import.meta.dirname, registry: 'the registry' };

it('names the first tool that is missing or incomplete, and no tool if all work', async () => {
  const present = { command: 'node', check: ['--version'], missing: 'node is missing.' };
  const incomplete = { command: 'node', check: printing('no module'), missing: 'The module is missing.' };
  const absent = { command: 'no-such-tool', check: [], missing: 'The tool is missing.' };

  expect(await missingTool([present])).toBeUndefined();
  expect(await missingTool([present, incomplete, absent])).toBe('The module is missing.');
  expect(await missingTool([present, absent])).toBe('The tool is missing.');
});

it.each([
  "HTTPSConnectionPool(host='pypi.org', port=443): Max retries exceeded with url: /simple/boto3/",
  'Failed to establish a new connection: [Errno -3] Temporary failure in name resolution',
  'Could not transfer artifact software.amazon.awssdk:bom:pom from/to central: repo.maven.apache.org: Unknown host',
  'Could not transfer artifact: Connect to repo.maven.apache.org:443 failed: Connection refused',
  'Could not transfer artifact a:b:pom:1 from/to central: transfer failed for https://repo.maven.apache.org/maven2/a',
])('does without what cannot be installed because of the network: %s', async (error) => {
  expect(await install('node', printing(error), at)).toContain('node cannot reach the registry.');
});

it.each([
  'ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.',
  'ERROR: No matching distribution found for boto3==99.0.0',
  'Could not transfer artifact: Checksum validation failed, expected 1 but is 2',
  'COMPILATION ERROR',
])('fails for any other reason: %s', async (error) => {
  await expect(install('node', printing(error), at)).rejects.toThrow(error);
});
