import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import type { ServiceName } from '../../lambdas/domain/metric-names.ts';
import { writtenCode } from './written-code.ts';

/**
 * Returns the code of a function that was bundled when the package was built. In the package, `#function-code` is this
 * module; in the repository, it is `bundled-code.ts`. Both write the same files, so templates are equal as well.
 */
export function functionCode(name: ServiceName, files: Readonly<Record<string, string>>): Code {
  const folder = fileURLToPath(new URL(`../../functions/${name}`, import.meta.url));
  return writtenCode(folder, (target) => cpSync(folder, target, { recursive: true }), files);
}
