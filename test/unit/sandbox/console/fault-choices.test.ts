import { expect, it } from 'vitest';
import { describeFaults, FAULTS } from '../../../../sandbox/console/page/controls/fault-choices.ts';
import { startTestSandbox } from '../../../support/running-sandbox.ts';

it('the sandbox accepts every fault, and the console names each as it was chosen', async () => {
  const sandbox = await startTestSandbox();
  for (const [, { of, ...fault }] of FAULTS) await sandbox.control('POST /faults', { [of]: { ...fault, count: 2 } });

  const { body } = await sandbox.control('GET /faults');

  expect(describeFaults(Object(body))).toEqual(FAULTS.map(([label]) => `${label}, 2 times`));
});

it('a fault of another client is described by its settings', () => {
  const answers = [{ count: 1, status: 418, endpoint: 'message/v3', contact: '+54911' } as const];
  const deliveries = [{ count: 3, holdMs: 100 }];

  expect(describeFaults({ answers, deliveries })).toEqual([
    'Response {"status":418}, message/v3, +54911, once',
    'Delivery {"holdMs":100}, 3 times',
  ]);
});
