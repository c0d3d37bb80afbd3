import { join } from 'node:path';
import { z } from 'zod';
import { installPython, readOutput } from '../references/installed-tool.ts';

const PROGRAM = join(import.meta.dirname, 'read_handlers.py');

/** Where `npm run deploy-policies` stores what it reads, so that the tests need no tool. */
export const HANDLER_ACTIONS = join(import.meta.dirname, '../../unit/lib/deployment/handler-actions.json');

const handlerActions = z.record(z.string(), z.object({ read: z.array(z.string()), write: z.array(z.string()) }));

/** The IAM actions with which CloudFormation reads a resource, and with which it changes one, by its type. */
export type HandlerActions = Readonly<z.output<typeof handlerActions>>;

/** Reads the actions from CloudFormation's schemas. */
export const readHandlerActions = async (cacheFolder: string, types: readonly string[]): Promise<HandlerActions> => {
  const python = await installPython('cfn-lint', 'cfn-lint needs Python 3.10 or later', cacheFolder);
  const output = await readOutput([python, PROGRAM], JSON.stringify(types));
  return handlerActions.parse(JSON.parse(output));
};
