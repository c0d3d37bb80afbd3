import { join } from 'node:path';
import { startLocal } from '../../local/cloud/local-cloud.ts';
import { startTutorial } from '../peers/tutorial/start-tutorial.ts';
import { type RecordedStack, recordStack } from './recorded-stack.ts';

/** Parley's stack and the tutorial's, each on a local cloud of its own. */
export interface RecordedStacks extends AsyncDisposable {
  readonly parley: RecordedStack;
  readonly tutorial: RecordedStack;
}

/** @param folder The folder for the functions' logs. */
export const startRecordedStacks = async (folder: string): Promise<RecordedStacks> => {
  await using resources = new AsyncDisposableStack();
  const parley = resources.use(
    await recordStack('Parley', (interpose) => startLocal({ interpose, logFolder: join(folder, 'parley') })),
  );
  const tutorial = resources.use(
    await recordStack('Tutorial', (interpose) => startTutorial({ interpose, logFolder: join(folder, 'tutorial') })),
  );
  const running = resources.move();
  return { parley, tutorial, [Symbol.asyncDispose]: () => running.disposeAsync() };
};
