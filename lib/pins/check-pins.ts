import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CfnElement, type Stack } from 'aws-cdk-lib';
import { z } from 'zod';
import { parseJson } from '../../lambdas/domain/schema.ts';
import { LOCAL_RUN_CONTEXT } from '../settings/check-production.ts';
import { SettingsError } from '../settings/settings-faults.ts';
import { faultsOfPins, pinsFile, pinsOf, type StackPins, templateResources } from './pins.ts';

/** The file in the app's folder that remembers what the stacks must not lose. It is committed, like cdk.context.json. */
export const PINS_FILE = 'parley.pins.json';

/** The context key with which synthesis writes the pins of the stack instead of checking them. */
export const PIN_CONTEXT = 'parley:pin';

/**
 * Refuses the synthesis of a stack that would lose a pinned resource. Does nothing for a stack without pins, and in a
 * local run, which deploys nothing.
 *
 * @param existing The ARNs of the existing resources that the stack uses, by its property.
 * @param settings The settings that are part of contacts' keys, by path.
 */
export function checkPins(
  stack: Stack,
  existing: Readonly<Record<string, string | undefined>>,
  settings: StackPins['settings'],
): void {
  const file = join(process.cwd(), PINS_FILE);
  const { node, stackName } = stack;
  if (node.tryGetContext(LOCAL_RUN_CONTEXT) === true) return;
  // Validation follows every change that an app makes to the constructs.
  node.addValidation({
    validate() {
      const actual = pinsOf(resourcesOf(stack), { existing: arnsIn(stack, existing), settings });
      const isPinning = ['true', true].includes(node.tryGetContext(PIN_CONTEXT));
      const all = readPins(file);
      if (isPinning) writePins(file, { ...all, [stackName]: actual });
      else if (all[stackName]) refuse(stackName, faultsOfPins(all[stackName], actual));
      return [];
    },
  });
}

function refuse(stackName: string, faults: readonly string[]): void {
  if (faults.length === 0) return;
  throw new SettingsError(
    [
      ...faults.map((fault) => `${stackName}: ${fault}`),
      `${PINS_FILE} pins resources that hold data or that other systems know, and settings that are part of contacts' ` +
        'keys. Undo the change. If you have saved the data and no other system uses it, run parley pin for this stage, ' +
        `and commit ${PINS_FILE}.`,
    ].join('\n'),
  );
}

function readPins(file: string): z.output<typeof pinsFile> {
  if (!existsSync(file)) return {};
  const text = readFileSync(file, 'utf8');
  const { data, error } = pinsFile.safeParse(parseJson(text));
  if (data) return data;
  throw new SettingsError(`${file} is invalid: ${z.prettifyError(error)}. Restore the committed file.`);
}

function writePins(file: string, pins: z.output<typeof pinsFile>): void {
  const sorted = Object.fromEntries(Object.entries(pins).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
}

/** Returns the ARNs as the template has them. An ARN of another stack's resource is an expression. */
function arnsIn(stack: Stack, arns: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(arns).flatMap(([name, arn]) => {
      if (arn === undefined) return [];
      const resolved: unknown = stack.resolve(arn);
      return [[name, typeof resolved === 'string' ? resolved : JSON.stringify(resolved)] as const];
    }),
  );
}

/** Returns the resources as the template has them. CDK has no public method for this before the template is written. */
function resourcesOf(stack: Stack): z.output<typeof templateResources> {
  const rendered = stack.node
    .findAll()
    .filter(CfnElement.isCfnElement)
    .map((element) => {
      const render: unknown = Reflect.get(element, '_toCloudFormation');
      return typeof render === 'function' && element.stack === stack ? stack.resolve(render.call(element)) : {};
    });
  return templateResources.parse(Object.assign({}, ...rendered.map(({ Resources = {} }) => Resources)));
}
