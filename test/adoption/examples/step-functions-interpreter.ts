import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { REGISTRY_DATE } from '../../support/packed-packages.ts';

// An implementation of the Amazon States Language that is independent of Parley. Installed for the tests that use it,
// because it brings a Lambda client and dozens of other packages.
const PACKAGE = 'aws-local-stepfunctions';
const VERSION = '3.0.0';
const TIMEOUT_MS = 120_000;

/** The parts of the interpreter that the tests use. */
interface StateMachineRun {
  readonly result: Promise<unknown>;
}
export interface RunnableStateMachine {
  run(
    input: object,
    options: {
      readonly overrides: {
        /** What a task does, by the state's name. Receives the task's parameters, with their paths resolved. */
        readonly taskResourceLocalHandlers: Readonly<Record<string, (parameters: unknown) => Promise<unknown>>>;
        readonly waitTimeOverrides: Readonly<Record<string, number>>;
        readonly retryIntervalOverrides: Readonly<Record<string, number>>;
      };
    },
  ): StateMachineRun;
}
type StateMachineClass = new (definition: unknown, options: object) => RunnableStateMachine;

const isClass = (value: unknown): value is StateMachineClass => typeof value === 'function';

/** Installs the interpreter into a folder. Returns its class of state machines. */
export const installInterpreter = async (folder: string): Promise<StateMachineClass> => {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--before', REGISTRY_DATE];
  await promisify(execFile)('npm', ['install', ...flags, '--prefix', folder, `${PACKAGE}@${VERSION}`], {
    cwd: folder,
    timeout: TIMEOUT_MS,
  });
  const file = join(folder, 'node_modules', PACKAGE, 'build', 'main.node.esm.js');
  const { StateMachine } = await import(pathToFileURL(file).href);
  if (!isClass(StateMachine)) throw new Error(`${PACKAGE} has no class StateMachine.`);
  return StateMachine;
};
