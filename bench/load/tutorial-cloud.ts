import { startTutorial, TUTORIAL_TOKEN } from '../peers/tutorial/start-tutorial.ts';
import { type BenchCloud, connectToCloud } from './bench-cloud.ts';

/** Starts the tutorial's stack on a local cloud of its own. */
export const startTutorialCloud = async (logFolder: string): Promise<BenchCloud & AsyncDisposable> => {
  await using resources = new AsyncDisposableStack();
  const stack = resources.use(await startTutorial({ logFolder }));
  const { audience, email: serviceAccountEmail } = TUTORIAL_TOKEN;
  const cloud = await connectToCloud({ name: 'Tutorial', stack, auth: { audience, serviceAccountEmail } });
  const running = resources.move();
  return { ...cloud, [Symbol.asyncDispose]: () => running.disposeAsync() };
};
