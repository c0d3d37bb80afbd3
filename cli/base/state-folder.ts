import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Returns the folder in which the local run keeps its state, for any folder of an app: `.parley` in this folder, or beside
 * the app's package.json, which npm looks for in the folders above, too.
 */
export const stateFolderAt = (folder: string): string => {
  const own = join(folder, '.parley');
  if (existsSync(join(own, 'local.json'))) return own;
  for (let app = folder; ; app = dirname(app)) {
    if (existsSync(join(app, 'package.json'))) return join(app, '.parley');
    // Without an app, others may have written what is in the folders above.
    if (dirname(app) === app) return own;
  }
};
