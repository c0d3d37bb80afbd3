import { it } from 'vitest';
import { wireMessage } from '../../support/builders.ts';
import { seedChannel } from '../../support/seed-channel.ts';
import { startAlarmStage, TOKEN_HEADER } from './alarm-stage.ts';
import { type AlarmScenario, runScenario } from './run-scenario.ts';

// Only a stage that watches what arrives has this alarm, and a schedule that runs every five minutes.

const CHANNELS_SILENT: AlarmScenario = {
  alarm: 'ChannelsSilent',
  inject: ({ cloud }) => seedChannel(cloud),
  async fix({ cloud, post }) {
    const CREATION_TIME = cloud.clock.now().toISOString();
    await post(wireMessage({ _id_: 'after-the-silence', FROM: '+5491155571009', CREATION_TIME }));
    return undefined;
  },
};

it('the alarm of silent channels starts when users stop writing, and ends with the runbook', async () => {
  await using stage = await startAlarmStage({
    settings: { webhook: { auth: { kind: 'shared-token', header: TOKEN_HEADER }, watch: true } },
  });

  await runScenario(stage, CHANNELS_SILENT);
});
