import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRunFolder, type RunFolder } from '../../../local/base/run-folder.ts';
import { createLocalClient } from '../../../local/cloud/local-client.ts';
import { waitFor } from '../../../local/demo/wait-for.ts';
import { startCheckedCloud } from '../../support/checked-cloud.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The example of docs/library.md in an app with other stacks, one of which has a resource that Parley uses. */
const APP = `
import { App, Stack } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { ParleyStack } from '${join(ROOT, 'lib/index.ts')}';

const app = new App();
const shared = new Stack(app, 'Shared');
new ParleyStack(app, 'Chat', {
  settings: {
    chatService: { baseUrl: 'https://chat-service.example' },
    chatPlatform: 'chat',
    chatChannelNumber: '+5491100000000',
    webhook: { auth: { kind: 'shared-token', header: 'x-token' } },
  },
  eventBus: new EventBus(shared, 'Bus'),
});
new Stack(app, 'Shop');
app.synth();
`;

let folder: RunFolder;
beforeAll(async () => {
  folder = await createRunFolder();
  await symlink(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'));
  await writeFile(join(folder.path, 'app.ts'), APP);
  await writeFile(join(folder.path, 'cdk.json'), JSON.stringify({ app: 'node app.ts' }));
});
afterAll(() => folder.remove());

it('runs the only ParleyStack of an app whose settings are in code, without an edit', async () => {
  const warnings: string[] = [];
  const options = { appFolder: folder.path, hasEventsQueue: true, warn: (message: string) => warnings.push(message) };
  await using cloud = await startCheckedCloud(options);
  using client = createLocalClient(cloud);

  await client.userWrites('+5491150000001', { text: 'Where is my parcel?' });
  const [event] = await waitFor('the event is in the queue', async () => {
    const messages = await client.takeMessages(cloud.eventsQueueUrl ?? '');
    return messages.length > 0 ? messages : undefined;
  });

  expect(JSON.parse(event?.body ?? '')).toMatchObject({ source: 'parley', 'detail-type': 'MessageReceived' });
  expect(warnings).toEqual([expect.stringMatching(/^The local run ignores these properties of the stack: eventBus\./)]);
});
