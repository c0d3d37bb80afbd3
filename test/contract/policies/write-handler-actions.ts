/** Writes the IAM actions that CloudFormation needs for the resource types of Parley's templates, from cfn-lint. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stageResources, typesOf } from '../../unit/lib/deployment/stage-resources.ts';
import { HANDLER_ACTIONS, readHandlerActions } from './handler-actions.ts';

const CACHE_FOLDER = join(import.meta.dirname, '../../../.parley/fidelity');

await mkdir(CACHE_FOLDER, { recursive: true });
const actions = await readHandlerActions(CACHE_FOLDER, typesOf(stageResources()));
await writeFile(HANDLER_ACTIONS, `${JSON.stringify(actions, undefined, 2)}\n`);
