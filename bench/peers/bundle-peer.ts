import { join } from 'node:path';
import { bundle } from '../../lib/constructs/bundled-code.ts';

/** A function that does next to nothing, bundled as Parley's functions are. */
export type Peer = 'empty' | 'one-client';

/** Returns the ES module of a peer, to be written as index.mjs. */
export const bundlePeer = (name: Peer): string => bundle(join(import.meta.dirname, `${name}.ts`)).code;
