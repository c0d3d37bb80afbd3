import type { Construct } from 'constructs';
import type { output, ZodType } from 'zod';
import { type CheckedSettings, checkProduction, LOCAL_RUN_CONTEXT } from '../settings/check-production.ts';
import { checkSettings } from '../settings/settings-faults.ts';

/**
 * Checks the settings among a construct's properties, fills in defaults, and rejects what a production stage must not
 * have.
 *
 * @throws SettingsError that lists every fault, with the construct's path.
 */
export function checkedSettings<Schema extends ZodType<CheckedSettings>>(
  construct: Construct,
  schema: Schema,
  props: unknown,
): output<Schema> {
  const { node } = construct;
  const settings = checkSettings(schema, props, node.path);
  checkProduction(settings, node.path, node.tryGetContext(LOCAL_RUN_CONTEXT));
  return settings;
}
