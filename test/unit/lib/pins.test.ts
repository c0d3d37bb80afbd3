import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { describe, expect, test, vi } from 'vitest';
import { ParleyStack } from '../../../lib/parley-stack.ts';
import { PIN_CONTEXT, PINS_FILE } from '../../../lib/pins/check-pins.ts';
import { REPLACING_PROPERTIES } from '../../../lib/pins/replacing-properties.ts';
import { LOCAL_RUN_CONTEXT } from '../../../lib/settings/check-production.ts';
import { SettingsError } from '../../../lib/settings/settings-faults.ts';
import type { StageSettingsInput } from '../../../lib/settings/stage-settings.ts';
import { replacingPropertiesOfTypes } from './changes/replacing-properties-of-types.ts';
import { PRODUCTION } from './settings/valid-settings.ts';
import { type Share, shareBus, shareTable, TABLE } from './shared-resources.ts';
import { CDK_CONTEXT, inTemporaryFolder } from './synthesized-stack.ts';

type Settings = Partial<StageSettingsInput>;
/** Settings, and what exists already. */
type Stage = Settings & { readonly share?: Share };

const EVERYTHING: Settings = {
  customerManagedKey: true,
  webhook: { auth: { kind: 'shared-token', header: 'x-token' } },
  events: { targets: [{ kind: 'sqs', queueArn: 'arn:aws:sqs:eu-west-1:111122223333:crm' }] },
};

/** Synthesizes a stack with the pins in a folder. Returns the lines of the error, or none. */
const synth = (
  folder: string,
  { share, ...settings }: Stage,
  context: object = {},
  name = 'Parley-prod',
): readonly string[] => {
  const app = new App({
    outdir: join(folder, 'cdk.out'),
    context: { ...CDK_CONTEXT, ...context, 'aws:cdk:bundling-stacks': [] },
    builtinCloudFormationValidation: false,
  });
  // The folder of the app, which is the repository's otherwise.
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder);
  new ParleyStack(app, name, {
    settings: { ...PRODUCTION, ...settings },
    ...share?.(new Stack(app, 'Shared')),
  });
  cwd.mockRestore();
  try {
    app.synth();
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.message.split('\n');
  }
};

const afterPinning = (before: Stage, after: Stage, name?: string): readonly string[] =>
  inTemporaryFolder((folder) => {
    expect(synth(folder, before, { [PIN_CONTEXT]: 'true' })).toEqual([]);
    return synth(folder, after, {}, name);
  });

describe('A stage whose resources are pinned', () => {
  test('is accepted unchanged, and with settings that add resources or change none of them', () => {
    expect(afterPinning({}, {})).toEqual([]);
    expect(afterPinning({}, EVERYTHING)).toEqual([]);
    expect(afterPinning(EVERYTHING, { ...EVERYTHING, rollout: 'gradual', production: true })).toEqual([]);
  });

  test.each([
    {
      what: 'brings its table along',
      after: { share: shareTable() },
      says: /^Parley-prod: The property table would remove TableCD117FA1 \(AWS::DynamoDB::Table\) from the stack\.$/,
    },
    {
      what: 'brings its event bus along',
      after: { share: shareBus },
      says: /The property eventBus would remove PublisherEventBus6EFFBC37/,
    },
    {
      what: 'has no targets',
      after: { ...EVERYTHING, events: {} },
      says: /The setting events\.targets would remove PublisherTargetsDeadLetters/,
    },
    {
      what: 'has no webhook secret',
      after: { ...EVERYTHING, webhook: PRODUCTION.webhook },
      says: /The setting webhook\.auth\.kind would remove ReceiverWebhookSecret/,
    },
    {
      what: 'has no key',
      after: { ...EVERYTHING, customerManagedKey: false },
      says: /The setting customerManagedKey would remove TableKey/,
    },
  ] satisfies { what: string; after: Stage; says: RegExp }[])('is refused when it $what', ({ after, says }) => {
    const lines = afterPinning('customerManagedKey' in after ? EVERYTHING : {}, after);

    expect(lines.some((line) => says.test(line))).toBe(true);
    expect(lines.at(-1)).toContain('run parley pin for this stage');
  });

  test('is refused when it has no bulk queue', () => {
    const lines = afterPinning({ sends: { bulkLane: { maxConcurrentCalls: 20 } } }, {});

    for (const queue of ['SenderBulkSendQueue', 'SenderBulkSendQueueDeadLetters']) {
      const says = new RegExp(`^Parley-prod: The setting sends\\.bulkLane would remove ${queue}[0-9A-F]{8} `);
      expect(lines.some((line) => says.test(line))).toBe(true);
    }
  });

  test('is refused when it uses another existing table, or one of its own', () => {
    const other = `${TABLE}-2`;

    expect(afterPinning({ share: shareTable() }, { share: shareTable(other) })[0]).toBe(
      `Parley-prod: The property table would make the stack use ${other} instead of ${TABLE}.`,
    );
    expect(afterPinning({ share: shareTable() }, {})[0]).toMatch(
      /use a resource of its own instead of arn:aws:dynamodb/,
    );
  });

  test.each([
    { setting: 'window.per', from: 'user', after: { window: { per: 'channel' } } },
    { setting: 'chatPlatform', from: 'chat', after: { chatPlatform: 'other' } },
  ] satisfies { setting: string; from: string; after: Stage }[])(
    'is refused when it would name its contacts otherwise: $setting',
    ({ setting, from, after }) => {
      expect(afterPinning({}, after)[0]).toBe(
        `Parley-prod: The setting ${setting} is no longer "${from}", so the stage would not find the windows, opt-ins, and ` +
          'opt-outs of its contacts.',
      );
    },
  );

  test('is refused when a property that replaces the resource changes', () => {
    inTemporaryFolder((folder) => {
      synth(folder, {}, { [PIN_CONTEXT]: 'true' });
      const file = join(folder, PINS_FILE);
      writeFileSync(file, readFileSync(file, 'utf8').replace('"pk"', '"id"'));

      expect(synth(folder, {})[0]).toBe(
        "Parley-prod: A change to the app's code or to Parley's version would replace TableCD117FA1 " +
          '(AWS::DynamoDB::Table) with an empty one, because of its new KeySchema.',
      );
    });
  });

  test('does not affect another stage, or a local run', () => {
    expect(afterPinning({}, { share: shareTable() }, 'Parley-dev')).toEqual([]);
    inTemporaryFolder((folder) => {
      synth(folder, {}, { [PIN_CONTEXT]: 'true' });
      expect(synth(folder, { share: shareTable() }, { [LOCAL_RUN_CONTEXT]: true })).toEqual([]);
    });
  });

  test('is accepted after it was pinned again, and the pins of other stages stay', () => {
    inTemporaryFolder((folder) => {
      synth(folder, {}, { [PIN_CONTEXT]: 'true' }, 'Parley-dev');
      synth(folder, {}, { [PIN_CONTEXT]: 'true' });
      synth(folder, { share: shareTable() }, { [PIN_CONTEXT]: 'true' });

      expect(synth(folder, { share: shareTable() })).toEqual([]);
      expect(Object.keys(JSON.parse(readFileSync(join(folder, PINS_FILE), 'utf8')))).toEqual([
        'Parley-dev',
        'Parley-prod',
      ]);
    });
  });
});

describe('The file of pins', () => {
  test('is written only on request', () => {
    inTemporaryFolder((folder) => {
      expect(synth(folder, {})).toEqual([]);
      expect(existsSync(join(folder, PINS_FILE))).toBe(false);
    });
  });

  test('is refused if it is invalid', () => {
    inTemporaryFolder((folder) => {
      writeFileSync(join(folder, PINS_FILE), '{"Parley-prod": []}');
      expect(synth(folder, {})[0]).toContain('is invalid');
    });
  });
});

describe('A file of an earlier version, which pinned no settings', () => {
  const inFolderOfEarlierVersion = (action: (folder: string) => void) =>
    inTemporaryFolder((folder) => {
      synth(folder, {}, { [PIN_CONTEXT]: 'true' });
      const file = join(folder, PINS_FILE);
      const all: Record<string, object> = JSON.parse(readFileSync(file, 'utf8'));
      const earlier = Object.entries(all).map(([name, pins]) => [name, { ...pins, settings: undefined }]);
      writeFileSync(file, JSON.stringify(Object.fromEntries(earlier)));
      action(folder);
    });

  test('pins its resources, and accepts every value of the settings', () => {
    inFolderOfEarlierVersion((folder) => {
      expect(synth(folder, { window: { per: 'channel' } })).toEqual([]);
      expect(synth(folder, { share: shareTable() })[0]).toContain('would remove TableCD117FA1');
    });
  });

  test('gets the settings when it is pinned again', () => {
    inFolderOfEarlierVersion((folder) => {
      expect(synth(folder, {}, { [PIN_CONTEXT]: 'true' })).toEqual([]);
      expect(synth(folder, { window: { per: 'channel' } })[0]).toContain('The setting window.per is no longer "user"');
    });
  });
});

describe('The properties whose change replaces a resource', () => {
  test('are those of the schemas of CloudFormation', () => {
    const replacing = [...replacingPropertiesOfTypes()].filter(([type]) => type in REPLACING_PROPERTIES);

    expect(Object.fromEntries(replacing)).toEqual(REPLACING_PROPERTIES);
  });
});
