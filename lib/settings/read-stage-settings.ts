import { parseJson } from '../../lambdas/domain/schema.ts';
import { checkProduction } from './check-production.ts';
import { nearestName } from './nearest-name.ts';
import { checkSettings, SettingsError } from './settings-faults.ts';
import { type StageSettings, stageSettings } from './stage-settings.ts';

/** The unchecked context values from cdk.json and `-c name=value` that settings are read from. */
export interface SettingsContext {
  /** The settings of each stage, by the name of the stage. */
  readonly stages: unknown;
  /** The name of the stage to read. */
  readonly stage: unknown;
  /**
   * Settings that override those of the stage: an object or its JSON.
   *
   * @default none
   */
  readonly settings?: unknown;
  /**
   * Whether the stage runs on this machine: `true`, from the context value `parley:localRun`. Then a production
   * stage may have placeholder addresses.
   *
   * @default false
   */
  readonly localRun?: unknown;
}

/** A stage's name and its checked settings. */
export interface Stage {
  readonly name: string;
  readonly settings: StageSettings;
}

/**
 * Selects the stage, merges the override into its settings, and checks the result.
 *
 * @throws SettingsError that lists every fault.
 */
export function readStageSettings(context: SettingsContext): Stage {
  const { stages, stage: name } = context;
  if (!isObject(stages) || Object.keys(stages).length === 0) {
    throw new SettingsError(
      'stages: missing, expected an object with the settings of each stage in context.stages of cdk.json.',
    );
  }
  const names = Object.keys(stages);
  const known = `Known stages: ${names.join(', ')}.`;
  if (typeof name !== 'string' || name === '') {
    throw new SettingsError(`stage: missing; select one with -c stage=NAME, such as -c stage=${names[0]}. ${known}`);
  }
  if (!names.includes(name)) {
    const nearest = nearestName(name, names);
    const advice = nearest ? `did you mean ${nearest}?` : 'add it to context.stages of cdk.json.';
    throw new SettingsError(`stage: unknown stage "${name}"; ${advice} ${known}`);
  }
  // The schedule group is named after the stack, Parley-NAME, and has at most 64 characters.
  // https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateScheduleGroup.html
  if (!/^[A-Za-z0-9-]{1,57}$/.test(name)) {
    throw new SettingsError(`stage: got "${name}", expected a name of 1 to 57 letters, digits and hyphens.`);
  }
  const place = `stages.${name}`;
  const settings = checkSettings(stageSettings, merge(stages[name], readOverride(context.settings)), place);
  checkProduction(settings, place, context.localRun);
  return { name, settings };
}

function readOverride(settings: unknown): Record<string, unknown> | undefined {
  if (settings === undefined) return undefined;
  const override = typeof settings === 'string' ? parseJson(settings) : settings;
  if (isObject(override)) return override;
  throw new SettingsError(
    'settings: expected a JSON object that overrides the stage\'s settings, such as -c settings=\'{"retentionDays": {"messages": 30}}\'.',
  );
}

/**
 * Merges objects property by property. Any other value replaces that of the base, as does an object with a different
 * `kind`, because the base's settings do not apply to it.
 */
function merge(base: unknown, override: unknown): unknown {
  if (override === undefined) return base;
  if (!isObject(base) || !isObject(override)) return override;
  if (typeof override.kind === 'string' && override.kind !== base.kind) return override;
  const names = new Set([...Object.keys(base), ...Object.keys(override)]);
  // `fromEntries` turns even `__proto__` into a property, which the schema then rejects by name.
  return Object.fromEntries([...names].map((name) => [name, merge(own(base, name), own(override, name))]));
}

function own(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
