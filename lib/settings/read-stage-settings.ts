import { nearestName } from './nearest-name.ts';
import { settingsFaults } from './settings-faults.ts';
import { type StageSettings, stageSettings } from './stage-settings.ts';

/** The context values that settings are read from, as cdk.json and `-c name=value` give them; none is trusted. */
export interface SettingsContext {
  /** Every stage's settings by the stage's name. */
  readonly stages: unknown;
  /** The name of the stage at hand. */
  readonly stage: unknown;
  /**
   * Settings that go over the stage's own: an object, or its JSON.
   *
   * @default none
   */
  readonly settings?: unknown;
}

/** A stage and its settings, checked. */
export interface Stage {
  readonly name: string;
  readonly settings: StageSettings;
}

/** The settings cannot be used; the message says in whole sentences, one a line, what to do about each fault. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly code = 'ERR_SETTINGS';
}

/**
 * Picks the stage, lays the override over its settings and checks the outcome.
 *
 * @throws SettingsError that names every fault at once.
 */
export function readStageSettings(context: SettingsContext): Stage {
  const { stages, stage: name } = context;
  if (!isObject(stages) || Object.keys(stages).length === 0) {
    throw new SettingsError(
      'stages: missing; give cdk.json a context.stages with the settings of each stage by its name.',
    );
  }
  const names = Object.keys(stages);
  if (typeof name !== 'string' || name === '') {
    throw new SettingsError(
      `No stage is given; say which with -c stage=NAME, such as -c stage=${names[0]}. Known stages: ${names.join(', ')}.`,
    );
  }
  if (!names.includes(name)) {
    const nearest = nearestName(name, names);
    throw new SettingsError(
      `stage: "${name}" is unknown; ${nearest ? `did you mean ${nearest}?` : 'add it to the stages of cdk.json.'} ` +
        `Known stages: ${names.join(', ')}.`,
    );
  }
  if (!/^[A-Za-z0-9-]{1,64}$/.test(name)) {
    throw new SettingsError(
      `stage: is "${name}"; give a name of up to 64 letters, digits and -, as the stack is named so.`,
    );
  }
  const settings = merged(stages[name], readOverride(context.settings));
  const checked = stageSettings.safeParse(settings);
  if (checked.success) return { name, settings: checked.data };
  throw new SettingsError(settingsFaults(name, settings, checked.error.issues).join('\n'));
}

function readOverride(settings: unknown): Record<string, unknown> | undefined {
  if (settings === undefined) return undefined;
  const read = typeof settings === 'string' ? parsed(settings) : settings;
  if (isObject(read)) return read;
  throw new SettingsError(
    "settings: is not a JSON object; give one that goes over the stage's settings, such as -c settings='{\"retentionDays\": 30}'.",
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Objects are laid over each other name by name; anything else replaces what was there, and so does an object of another
 * kind, whose settings have nothing to do with those below.
 */
function merged(below: unknown, above: unknown): unknown {
  if (above === undefined) return below;
  if (!isObject(below) || !isObject(above)) return above;
  if (typeof above.kind === 'string' && above.kind !== below.kind) return above;
  const names = new Set([...Object.keys(below), ...Object.keys(above)]);
  // `fromEntries` makes a property even of `__proto__`, which the schema then refuses by its name.
  return Object.fromEntries([...names].map((name) => [name, merged(own(below, name), own(above, name))]));
}

function own(of: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(of, name) ? of[name] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
