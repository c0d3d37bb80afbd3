/** Runs a resilience test of sending in full; the automated tests run them with small numbers. */
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { readArguments, wrongNumber } from '../../support/read-arguments.ts';
import { holdAccount } from './account-on-hold.ts';
import { killAndRecover } from './kills.ts';
import { poison } from './poison.ts';
import { poisonBeforeOthers } from './poison-before-others.ts';
import { type SendingStage, startSendingStage } from './sending-stage.ts';
import { answersUnavailable, outlast, refusesConnections } from './service-outage.ts';
import { outlastTable } from './table-outage.ts';
import { outlastUnreachable, SHORT_TIMEOUTS } from './unreachable-service.ts';

const HELP = `npm run trial -- NAME [options]

Runs a resilience test of sending against a local run, in simulated time, and prints the result.

  kills     kills the function at random moments; the outbox must hold nothing twice and nothing may be missing
  resets    as kills, and the service also resets connections after it has accepted the message
  poison    one malformed and one always failing message among others
  on-hold   requests wait for ten minutes while the account has no credit, which is then restored
  refused   nothing listens at the service's address for a day
  outage    the service answers 503 for a day
  unreachable  the service fails under load: answers with 502 for three hours, then too late for three hours
  table     the table is unavailable for six hours under load
  behind    a request that cannot be processed, before 500 others of its contact

  --requests NUMBER   (default: 2000 for kills, resets and unreachable, 500 for table and behind, otherwise 1000)
  --kills NUMBER      (default: 200)
  --groups NUMBER     message groups (default: 40 for table, otherwise 250; kills and resets use one per 20 requests)
  --seconds NUMBER    duration of an outage (default: 86400; unreachable and table: 21600)
  --seed NUMBER       (default: 1)
`;

const NUMBERS = ['requests', 'kills', 'groups', 'seconds', 'seed'] as const;

const fail = (sentence: string): never => {
  console.error(`${sentence}\n\n${HELP}`);
  process.exit(2);
};
const read = readArguments({
  allowPositionals: true,
  options: {
    requests: { type: 'string' },
    kills: { type: 'string', default: '200' },
    groups: { type: 'string' },
    seconds: { type: 'string' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});
const { positionals, values } = read.kind === 'invalid' ? fail(read.sentence) : read;
for (const option of NUMBERS) {
  const sentence = values[option] === undefined ? undefined : wrongNumber(option, values[option]);
  if (sentence !== undefined) fail(sentence);
}
const [name = ''] = positionals;
const requests = (otherwise: number) => (values.requests === undefined ? otherwise : Number(values.requests));
const groups = (otherwise = 250) => (values.groups === undefined ? otherwise : Number(values.groups));
const replacements: Sandbox[] = [];

const kills = (resets: boolean) => (stage: SendingStage) =>
  killAndRecover(stage, { requests: requests(2000), kills: Number(values.kills), seed: Number(values.seed), resets });
const seconds = (otherwise: number) => (values.seconds === undefined ? otherwise : Number(values.seconds));
const outage = { requests: requests(1000), groups: groups(), seconds: seconds(86_400), stepSeconds: 450 };
const SIX_HOURS = 21_600;

const TRIALS: Record<string, (stage: SendingStage) => Promise<unknown>> = {
  kills: kills(false),
  resets: kills(true),
  poison: (stage) => poison(stage, { requests: requests(1000), groups: groups() }),
  'on-hold': (stage) => holdAccount(stage, { requests: requests(1000), groups: groups(), stepSeconds: 5 }),
  outage: (stage) => outlast(stage, outage, answersUnavailable(stage)),
  refused: (stage) => outlast(stage, outage, refusesConnections(stage, replacements)),
  unreachable: (stage) =>
    outlastUnreachable(stage, {
      requests: requests(2000),
      groups: groups(),
      seconds: seconds(SIX_HOURS),
      stepSeconds: 60,
    }),
  table: (stage) =>
    outlastTable(stage, {
      requests: requests(500),
      groups: groups(40),
      seconds: seconds(SIX_HOURS),
      stepSeconds: 1_800,
      isUnderLoad: true,
    }),
  behind: (stage) => poisonBeforeOthers(stage, { requests: requests(500) }),
};

/** Timeouts pass in real time, so they are short where calls time out. */
const SETTINGS: Record<string, Readonly<Record<string, unknown>>> = {
  unreachable: SHORT_TIMEOUTS,
  table: SHORT_TIMEOUTS,
};

const trial = TRIALS[name];
if (trial === undefined || values.help) {
  console.log(HELP);
  process.exitCode = values.help ? 0 : 2;
} else {
  const startedMs = performance.now();
  const stage = await startSendingStage({ settings: SETTINGS[name] });
  try {
    console.dir(await trial(stage), { depth: null, maxArrayLength: 20 });
    console.log(`Finished in ${Math.round((performance.now() - startedMs) / 1000)} s.`);
  } finally {
    await stage.close();
    for (const sandbox of replacements) await sandbox.close();
  }
}
