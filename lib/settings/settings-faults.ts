import type { core } from 'zod';
import { nearestName } from './nearest-name.ts';
import { SETTINGS_GUIDE } from './settings-guide.ts';

/**
 * Says each fault of a stage's settings in one sentence: which setting, what it is, what it may be.
 *
 * @param stage The stage's name; sentences begin with the setting's path in cdk.json, `stages.<stage>.…`.
 * @param settings What was checked; values are quoted, as settings hold no secrets.
 */
export function settingsFaults(stage: string, settings: unknown, issues: readonly core.$ZodIssue[]): string[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownSetting(stage, issue.path, key));
    return `${place(stage, issue.path)}: ${found(settings, issue.path)}; give ${guide(issue.path)}.`;
  });
}

function place(stage: string, path: readonly PropertyKey[]): string {
  return ['stages', stage, ...path].join('.');
}

function found(settings: unknown, path: readonly PropertyKey[]): string {
  const value = path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    settings,
  );
  if (value === undefined) return 'missing';
  const written = JSON.stringify(value);
  return `is ${written.length > 80 ? `${written.slice(0, 80)}…` : written}`;
}

/** What the setting may be; of a list's entry or a template's variable, what the whole may be. */
function guide(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "an object with the stage's settings";
  return SETTINGS_GUIDE[path.join('.')] ?? guide(path.slice(0, -1));
}

function unknownSetting(stage: string, path: readonly PropertyKey[], key: string): string {
  const parent = path.map((part) => `${String(part)}.`).join('');
  const known = Object.keys(SETTINGS_GUIDE)
    .filter((name) => name.startsWith(parent) && !name.slice(parent.length).includes('.'))
    .map((name) => name.slice(parent.length));
  const nearest = nearestName(key, known);
  const advice = nearest ? `did you mean ${nearest}?` : 'take it out.';
  return `${place(stage, [...path, key])}: unknown setting; ${advice} Known here: ${known.join(', ')}.`;
}
