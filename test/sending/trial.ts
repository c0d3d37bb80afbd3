import { parseArgs } from 'node:util';
import { holdAccount } from './held-account-trial.ts';
import { startSendingStage } from './sending-stage.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { requests: { type: 'string', default: '1000' }, groups: { type: 'string', default: '250' } },
});
const started = Date.now();
const stage = await startSendingStage();
try {
  if (positionals[0] === 'held') {
    console.log(
      await holdAccount(stage, { requests: Number(values.requests), groups: Number(values.groups), stepSeconds: 5 }),
    );
  }
} finally {
  await stage.close();
}
console.log(`${Date.now() - started} ms`);
