import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { settingsGuide } from '../../../../lib/settings/settings-guide.ts';
import { stageSettings } from '../../../../lib/settings/stage-settings.ts';

describe('The guide to the settings', () => {
  const guide = settingsGuide();

  test('describes every setting', () => {
    expect([...guide.keys()].sort()).toEqual(settingPaths(z.toJSONSchema(stageSettings, { io: 'input' })).sort());
  });

  test.each([
    { path: 'retentionDays.messages', ends: ' (default 400)' },
    { path: 'window.per', ends: ' (default "user")' },
    { path: 'production', ends: ' (default false)' },
    { path: 'events.content', ends: ' (default true, but false if production is true)' },
  ])('ends the description of $path with the default of the schema', ({ path, ends }) => {
    expect(guide.get(path)?.endsWith(ends)).toBe(true);
  });

  test('states no default for an object, whose settings have their own', () => {
    expect(guide.get('window')).not.toContain('default');
  });

  test('does not end with a period, because it completes a sentence', () => {
    for (const description of guide.values()) expect(description).not.toMatch(/\.$/);
  });
});

/** Returns every setting's path; a union contributes those of every alternative. */
function settingPaths(schema: z.core.JSONSchema._JSONSchema, prefix = ''): string[] {
  if (typeof schema === 'boolean') return [];
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, value]) => [
    `${prefix}${name}`,
    ...settingPaths(value, `${prefix}${name}.`),
    ...(typeof value === 'object' && !Array.isArray(value.items)
      ? settingPaths(value.items ?? {}, `${prefix}${name}[].`)
      : []),
  ]);
  const alternatives = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  return [...new Set([...own, ...alternatives.flatMap((alternative) => settingPaths(alternative, prefix))])];
}
