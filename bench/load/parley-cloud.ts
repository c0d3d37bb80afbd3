import { z } from 'zod';
import { startLocal } from '../../local/cloud/local-cloud.ts';
import { type BenchCloud, connectToCloud } from './bench-cloud.ts';

const pushAuth = z.object({ audience: z.string(), serviceAccountEmail: z.string() });

/**
 * Starts Parley's stack, as `npm start` does.
 *
 * @param settings override those of the stage
 */
export const startParleyCloud = async (
  logFolder: string,
  name = 'Parley',
  settings: Readonly<Record<string, unknown>> = {},
): Promise<BenchCloud & AsyncDisposable> => {
  await using resources = new AsyncDisposableStack();
  const stack = resources.use(await startLocal({ logFolder, settings }));
  const auths = [...stack.functions.values()].map(({ declaration }) => declaration.variables.WEBHOOK_AUTH);
  const cloud = await connectToCloud({
    name,
    stack,
    auth: pushAuth.parse(JSON.parse(auths.find((auth) => auth !== undefined) ?? '')),
  });
  const running = resources.move();
  return { ...cloud, [Symbol.asyncDispose]: () => running.disposeAsync() };
};
