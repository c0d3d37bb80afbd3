import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { describedSettings } from '../../../../lib/settings/settings-guide.ts';
import { withSetting } from '../settings/valid-settings.ts';
import { shareAll, shareDomainName, shareTableWithKey, shareVpc } from '../shared-resources.ts';
import { CHANGE_NOTES } from './change-notes.ts';
import { changingSettingsPage } from './changing-settings-page.ts';
import { allDependencies } from './dependencies.ts';
import { EXISTING_CASES, FULL_STAGE, SETTING_CASES } from './setting-cases.ts';
import { type Effect, UpdatedStack } from './stack-update.ts';
import { stageWalks, type Transition, templateOf } from './stage-walks.ts';

const PAGE = new URL('../../../../docs/changing-settings.md', import.meta.url);

const walks = stageWalks();
const page = changingSettingsPage(walks);
if (process.env.WRITE_CHANGES) writeFileSync(PAGE, page);

/** The effects that need no step of an operator: what fails for a moment is retried. */
const RETRIED: readonly Effect['kind'][] = ['permission removed', 'consumer replaced'];

const kindsOf = (effects: readonly Effect[]): readonly string[] =>
  [...new Set(effects.map(({ kind }) => kind))].toSorted();

const resourcesOf = (template: unknown) =>
  z
    .object({ Resources: z.record(z.string(), z.looseObject({ DependsOn: z.array(z.string()).optional() })) })
    .parse(template).Resources;

const ofKind = (transitions: readonly Transition[], kind: Effect['kind']): readonly Effect[] =>
  transitions.flatMap(({ effects }) => effects.filter((effect) => effect.kind === kind));

describe('Every setting', () => {
  test('has values to change between', () => {
    const paths = describedSettings().map(({ path }) => path);
    const isGroup = (path: string) => paths.some((other) => other.startsWith(`${path}.`));

    expect(paths.filter((path) => !(path in SETTING_CASES) && !isGroup(path))).toEqual([]);
    expect(Object.keys(SETTING_CASES).filter((path) => !paths.includes(path))).toEqual([]);
  });

  test.each(walks)('can be changed and changed back: $of', ({ transitions }) => {
    expect(ofKind(transitions, 'name taken')).toEqual([]);
  });

  test.each(walks)('never takes a key from a function that uses it during an update: $of', ({ transitions }) => {
    expect(ofKind(transitions, 'key not usable')).toEqual([]);
  });

  test('takes a permission from a role only after the function has been updated, except what is retried', () => {
    const early = walks.filter(({ transitions }) => ofKind(transitions, 'permission removed').length > 0);

    expect(early.map(({ of }) => of)).toEqual(['events.targets[].url', 'rollout', 'table', 'eventBus']);
  });

  test.each(walks)('has a note about each change that needs a step: $of', ({ of, transitions }) => {
    const explained = CHANGE_NOTES.filter((note) => note.of.includes(of)).flatMap(({ explains }) => explains);
    const found = kindsOf(transitions.flatMap(({ effects }) => effects)).filter(
      (kind) => !RETRIED.some((retried) => retried === kind),
    );

    expect(found).toEqual([...new Set(explained)].toSorted());
  });

  test('is on docs/changing-settings.md, which "npm run changes" writes', () => {
    const names = [...Object.keys(SETTING_CASES), ...Object.keys(EXISTING_CASES)];

    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    expect(readFileSync(PAGE, 'utf8')).toBe(page);
  });
});

describe('A stage with a key', () => {
  test.each([
    { ingress: 'direct', share: undefined },
    { ingress: 'buffered', share: undefined },
    { ingress: 'direct', share: shareAll(shareVpc, shareDomainName) },
    { ingress: 'buffered', share: shareTableWithKey },
  ])('has no circular dependencies: $ingress', ({ ingress, share }) => {
    const resources = resourcesOf(templateOf({ settings: withSetting('webhook.ingress', ingress, FULL_STAGE), share }));

    expect(Object.keys(resources).filter((id) => allDependencies(resources, id).has(id))).toEqual([]);
  });
});

describe('The order of a list', () => {
  test.each(['events.targets', 'keywords.languages', 'operators.echoSenders'])('changes nothing: %s', (path) => {
    const transitions = walks.find(({ of }) => of === path)?.transitions ?? [];
    const isReordering = ({ from, to }: { from: string; to: string }) =>
      from !== to && [...from].toSorted().join('') === [...to].toSorted().join('');
    const reorderings = transitions.filter(isReordering);

    expect(reorderings.length).toBeGreaterThan(0);
    expect(reorderings.flatMap(({ effects }) => effects)).toEqual([]);
  });
});

describe('A production stage that was deleted', () => {
  const template = templateOf({ settings: { ...FULL_STAGE, customerManagedKey: true } });
  const stack = new UpdatedStack(template);
  const deletion = stack.update({ Resources: {} });
  const typesOf = (wanted: Effect['kind']) =>
    [...new Set(deletion.filter(({ kind }) => kind === wanted).map(({ type }) => type))].toSorted();

  test('leaves its data behind, except its schedules, which need the stage', () => {
    expect(typesOf('left behind')).toEqual([
      'AWS::DynamoDB::Table',
      'AWS::KMS::Key',
      'AWS::Logs::LogGroup',
      'AWS::SQS::Queue',
      'AWS::SecretsManager::Secret',
    ]);
    expect(typesOf('deleted')).toEqual([
      'AWS::Events::EventBus',
      'AWS::Scheduler::ScheduleGroup',
      'AWS::SecretsManager::Secret',
    ]);
  });

  test('can be deployed again: nothing that it left behind has the name of what it creates', () => {
    // The new stack has another id, of which the names of log groups are made.
    const again = JSON.parse(JSON.stringify(template).replaceAll('"AWS::StackId"', '"OtherStack"'));

    expect(stack.update(again).filter(({ kind }) => kind === 'name taken')).toEqual([]);
  });
});
