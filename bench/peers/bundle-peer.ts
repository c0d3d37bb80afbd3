import { join } from 'node:path';
import { writeBundle } from '../../lib/constructs/bundled-code.ts';

/** A function that does next to nothing, bundled as Parley's functions are. */
export type Peer = 'empty' | 'one-client';

/** Bundles a peer and writes its files to a folder. */
export const writePeer = (name: Peer, folder: string): void =>
  void writeBundle(join(import.meta.dirname, `${name}.ts`), folder);
