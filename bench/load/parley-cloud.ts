import { z } from 'zod';
import { startLocal } from '../../local/local-cloud.ts';
import { type BenchCloud, connectToCloud } from './bench-cloud.ts';

const pushAuth = z.object({ audience: z.string(), serviceAccountEmail: z.string() });

/** Starts Parley's stack, as `npm start` does. */
export const startParleyCloud = async (logFolder: string): Promise<BenchCloud & AsyncDisposable> => {
  await using resources = new AsyncDisposableStack();
  const stack = resources.use(await startLocal({ logFolder }));
  const settings = [...stack.functions.values()].map(({ declaration }) => declaration.variables.WEBHOOK_AUTH);
  const cloud = await connectToCloud({
    name: 'Parley',
    stack,
    auth: pushAuth.parse(JSON.parse(settings.find((auth) => auth !== undefined) ?? '')),
  });
  const running = resources.move();
  return { ...cloud, [Symbol.asyncDispose]: () => running.disposeAsync() };
};
