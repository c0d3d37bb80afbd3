import type { core, output, ZodType } from 'zod';
import { nearestName } from './nearest-name.ts';
import { settingsGuide } from './settings-guide.ts';
import { isToken } from './topic-arn.ts';

/** Invalid settings. The message has one line per fault, with the actual value and what is expected. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly code = 'ERR_SETTINGS';
}

/**
 * Checks settings against all or part of the schema and fills in defaults.
 *
 * @param place The prefix for paths in faults, such as `stages.prod` or a construct's path.
 * @throws SettingsError that lists every fault. It quotes values, because settings contain no secrets.
 */
export function checkSettings<Schema extends ZodType>(
  schema: Schema,
  settings: unknown,
  place: string,
): output<Schema> {
  const checked = schema.safeParse(settings);
  if (checked.success) return checked.data;
  throw new SettingsError(faultsOf(place, settings, checked.error.issues).join('\n'));
}

function faultsOf(place: string, settings: unknown, issues: readonly core.$ZodIssue[]): string[] {
  const guide = settingsGuide();
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => unknownSetting(guide, place, issue.path, key));
    }
    return `${at(place, issue.path)}: ${found(settings, issue.path)}, expected ${expected(guide, issue.path)}.`;
  });
}

function at(place: string, path: readonly PropertyKey[]): string {
  return [place, ...path].join('.');
}

function found(settings: unknown, path: readonly PropertyKey[]): string {
  const value = path.reduce<unknown>(
    (parent, key) => (typeof parent === 'object' && parent !== null ? Reflect.get(parent, key) : undefined),
    settings,
  );
  if (value === undefined) return 'missing';
  if (isToken(value)) return 'got a CDK token, whose value is known only at deployment';
  const json = JSON.stringify(value);
  return `got ${json.length > 80 ? `${json.slice(0, 80)}...` : json}`;
}

/** Returns the guide of a setting. List entries and template variables have the guide of the setting they belong to. */
function expected(guide: ReadonlyMap<string, string>, path: readonly PropertyKey[]): string {
  if (path.length === 0) return "an object with the stage's settings";
  return guide.get(path.join('.')) ?? expected(guide, path.slice(0, -1));
}

function unknownSetting(
  guide: ReadonlyMap<string, string>,
  place: string,
  path: readonly PropertyKey[],
  key: string,
): string {
  const prefix = path.map((part) => `${String(part)}.`).join('');
  const known = [...guide.keys()]
    .filter((name) => name.startsWith(prefix) && !name.slice(prefix.length).includes('.'))
    .map((name) => name.slice(prefix.length));
  const nearest = nearestName(key, known);
  const advice = nearest ? `did you mean ${nearest}?` : 'remove it.';
  const choices = known.length > 0 ? ` Known settings: ${known.join(', ')}.` : '';
  return `${at(place, [...path, key])}: unknown setting; ${advice}${choices}`;
}
