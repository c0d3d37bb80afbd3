import { join } from 'node:path';
import { createRunFolder } from '../../local/base/run-folder.ts';
import { createLocalClient, type LocalClient } from '../../local/cloud/local-client.ts';
import type { LocalCloud, LocalOptions } from '../../local/cloud/local-cloud.ts';
import { writeLocalState } from '../../local/cloud/local-state.ts';
import { type ParleyRun, runParley } from './run-parley.ts';
import { startTestCloud } from './test-cloud.ts';

/** A local run with everything that a test of the command needs. Disposing of it ends the run. */
export interface CommandRun extends AsyncDisposable {
  readonly cloud: LocalCloud;
  readonly client: LocalClient;
  /** The folder of the run's state and logs, which a test can use for its own files too. */
  readonly folder: string;
  /** Runs a command line of `parley --local`. Returns its exit code and output. */
  readonly parley: (args: readonly string[], options?: Omit<ParleyRun, 'stateFolder'>) => ReturnType<typeof runParley>;
}

export const startCommandRun = async (options: LocalOptions = {}): Promise<CommandRun> => {
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await createRunFolder());
  const cloud = await startTestCloud({ logFolder: join(folder, 'logs'), ...options });
  stack.defer(() => cloud.close());
  const client = createLocalClient(cloud);
  stack.defer(() => client.close());
  await writeLocalState(cloud, folder);
  const started = stack.move();
  return {
    cloud,
    client,
    folder,
    parley: (args, options = {}) => runParley(args, { stateFolder: folder, ...options }),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
};
