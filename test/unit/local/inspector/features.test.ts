import { expect, it } from 'vitest';
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
