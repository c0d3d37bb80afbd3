import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocal } from '../../local/cloud/local-cloud.ts';

// A local run in a process of its own, for the bench of the console: the browser must not wait for the run's event loop.

await using logs = await mkdtempDisposable(join(tmpdir(), 'parley-bench-console-'));
await using cloud = await startLocal({ logFolder: logs.path });
process.send?.({ url: cloud.chatServiceUrl });
await new Promise((resolve) => process.once('disconnect', resolve));
