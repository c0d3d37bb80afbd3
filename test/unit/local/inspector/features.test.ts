import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readStageSettings } from '../../../../lib/settings/read-stage-settings.ts';
import { featuresOf } from '../../../../local/inspector/features.ts';

it('turns on what the settings of the stage turn on', () => {
  expect(featuresOf({ sends: {} })).toEqual({ handovers: false, keywords: false, bulkLane: false });
  expect(
    featuresOf({
      operators: { echoField: 'OPERATOR_ID' },
      keywords: { languages: ['en'] },
      sends: { bulkLane: { maxConcurrentCalls: 2 } },
    }),
  ).toEqual({ handovers: true, operatorField: { name: 'OPERATOR_ID', value: 'ana' }, keywords: true, bulkLane: true });
});

it("marks operators' messages with a value that the stage accepts, and with none if it recognizes none", () => {
  const operators = { echoField: 'SENDER_TYPE', echoValues: ['agent', 'lead'] };

  expect(featuresOf({ operators, sends: {} }).operatorField).toEqual({ name: 'SENDER_TYPE', value: 'agent' });
  expect(featuresOf({ operators: {}, sends: {} })).toEqual({ handovers: true, keywords: false, bulkLane: false });
});

it('finds on, in the stage that npm start runs, all that the tour of the console plays', () => {
  const read = (file: string) => JSON.parse(readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8'));
  const [, stage = ''] = / --stage (\w+)$/.exec(read('package.json').scripts.start) ?? [];

  const { settings } = readStageSettings({ stages: read('cdk.json').context.stages, stage, localRun: true });

  expect(featuresOf(settings)).toEqual({
    handovers: true,
    operatorField: { name: 'OPERATOR_ID', value: 'ana' },
    keywords: true,
    bulkLane: true,
  });
});
