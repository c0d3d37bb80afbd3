import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.ts';
import type { SendingStage } from './sending-stage.ts';

/** The service answers 503 to everything. */
export const answersUnavailable = (stage: SendingStage) => async () => {
  await stage.client.control('POST', '/faults', { answers: { count: 1_000_000, status: 503 } });
  return async () => {
    await stage.client.control('DELETE', '/faults');
  };
};

/** Nobody listens at the service's address. What is started in its place is for the caller to close. */
export const refusesConnections = (stage: SendingStage, replacements: Sandbox[]) => async () => {
  const { cloud, client } = stage;
  await cloud.sandbox?.close();
  return async () => {
    const secret = cloud.emulators.secrets.find(cloud.accessTokenSecretId);
    const token = secret?.versions[0]?.secretString ?? '';
    const sandbox = await startSandbox({
      port: Number(new URL(cloud.chatServiceUrl).port),
      accessTokens: [token],
      chatPlatform: 'chat',
      chatChannelNumbers: ['+5491100000000'],
      clock: cloud.clock,
      credit: 1_000_000,
    });
    replacements.push(sandbox);
    await client.putRule('parcel_update', { text: 'Parcel ${n}', category: 'shipping-status' });
  };
};
