import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readStageSettings } from '../../../../lib/settings/read-stage-settings.ts';
import { featuresOf } from '../../../../local/inspector/features.ts';

const OFF = { handovers: false, keywords: false, confirmsOptOuts: false, bulkLane: false, windowMarginSeconds: 30 };
const BASE = { sends: {}, window: { marginSeconds: 30 } };

it('turns on what the settings of the stage turn on', () => {
  expect(featuresOf(BASE)).toEqual(OFF);
  expect(
    featuresOf({
      ...BASE,
      operators: { echoField: 'OPERATOR_ID' },
      keywords: { languages: ['en'], confirmation: 'Done.' },
      sends: { bulkLane: { maxConcurrentCalls: 2 } },
      turns: { silenceSeconds: 5 },
    }),
  ).toEqual({
    handovers: true,
    operatorField: { name: 'OPERATOR_ID', value: 'ana' },
    keywords: true,
    confirmsOptOuts: true,
    bulkLane: true,
    turns: { silenceSeconds: 5 },
    windowMarginSeconds: 30,
  });
  expect(featuresOf({ ...BASE, keywords: { languages: ['en'] } })).toEqual({ ...OFF, keywords: true });
});

it("marks operators' messages with a value that the stage accepts, and with none if it recognizes none", () => {
  const operators = { echoField: 'SENDER_TYPE', echoValues: ['agent', 'lead'] };

  expect(featuresOf({ ...BASE, operators }).operatorField).toEqual({ name: 'SENDER_TYPE', value: 'agent' });
  expect(featuresOf({ ...BASE, operators: {} })).toEqual({ ...OFF, handovers: true });
});

it('finds on, in the stage that npm start runs, all that the tour of the console plays', () => {
  const read = (file: string) => JSON.parse(readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8'));
  const [, stage = ''] = / --stage (\w+)$/.exec(read('package.json').scripts.start) ?? [];

  const { settings } = readStageSettings({ stages: read('cdk.json').context.stages, stage, localRun: true });

  expect(featuresOf(settings)).toEqual({
    handovers: true,
    operatorField: { name: 'OPERATOR_ID', value: 'ana' },
    keywords: true,
    confirmsOptOuts: true,
    bulkLane: true,
    turns: { silenceSeconds: 8 },
    windowMarginSeconds: settings.window.marginSeconds,
  });
});
