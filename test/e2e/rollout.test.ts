import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalClient, type LocalClient } from '../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../local/cloud/local-cloud.ts';
import { MAIN_JOB } from '../../local/demo/main-job.ts';
import { startTestCloud } from '../support/test-cloud.ts';

let cloud: LocalCloud;
let client: LocalClient;

beforeAll(async () => {
  cloud = await startTestCloud({ settings: { rollout: 'gradual' } });
  client = createLocalClient(cloud);
});
afterAll(async () => {
  client?.close();
  await cloud?.close();
});

describe('a stage whose functions are invoked through aliases', () => {
  it.each(MAIN_JOB)('plays the main job: $title', async ({ play }) => {
    await play({ cloud, client, print: () => undefined });
  });

  it('has the alarms of the new versions, and none of them starts', () => {
    const alarms = cloud.emulators.cloudWatch.alarms.all().filter(({ alarm }) => alarm.name.includes('NewVersion'));

    expect(alarms.map(({ alarm }) => alarm.name.replace(/^.*-Monitoring|[0-9A-F]{8}$/g, ''))).toEqual([
      'ReceiveNewVersion',
      'SendNewVersion',
      'PublishNewVersion',
      'ManageNewVersion',
    ]);
    expect(alarms.filter(({ state }) => state === 'ALARM')).toEqual([]);
  });
});
