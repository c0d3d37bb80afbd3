import { setTimeout as pause } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { LAWS } from '../../lambdas/laws/check-laws.ts';
import { stageResponse } from '../../lambdas/manage/api/stage.ts';
import { type CommandContext, type CreateCommand, count, examples } from '../base/command.ts';
import { CliError, EXIT, explainError } from '../base/errors.ts';
import { createProgress } from '../base/progress.ts';
import { stageClock } from '../base/stage-time.ts';
import { checkTable, countItems, type TableCheck } from '../operations/check-table.ts';
import { createPacer } from '../operations/pacer.ts';
import { isThrottled } from '../operations/table-reads.ts';
import { CHECKED, describeChecks, describeLaws } from './check-table-report.ts';

/** With eventually consistent reads, one unit reads 8 KB, so this reads about 3 GB an hour. */
const DEFAULT_RATE = 100;
const DEFAULT_GRACE_MINUTES = 60;
const DEFAULT_RECHECK_SECONDS = 60;

const positive = (value: string): number => {
  const number = Number(value);
  if (!(number > 0) || !Number.isFinite(number)) throw new InvalidArgumentError('Use a number greater than 0.');
  return number;
};

const notNegative = (value: string): number => (value === '0' ? 0 : positive(value));

const collectLaw = (value: string, previous: readonly string[] = []): readonly string[] => {
  if (CHECKED.some(({ name }) => name === value)) return [...previous, value];
  const reason = LAWS.some(({ name }) => name === value)
    ? 'This law is about writes, which only the stream of the table shows.'
    : 'Use a name from parley check-table --list-laws.';
  throw new InvalidArgumentError(reason);
};

export const createCheckTableCommand: CreateCommand = (context) =>
  new Command('check-table')
    .description(
      "Check the table against Parley's laws.\n\n" +
        'The command reads every item in the live table at a limited average rate and changes nothing. It prints the key ' +
        'of each item that breaks a law, never its content, and what to do next. Before it reports an item, it reads the ' +
        'item again with consistent reads, so that concurrent writes are not reported. If an item breaks a law, the exit ' +
        'code is 6.',
    )
    .option(
      '--rate <units>',
      `Read capacity units to use per second on average; one page can use 128 at once (default: ${DEFAULT_RATE})`,
      positive,
    )
    .option('--law <name>', 'Check only this law (repeatable)', collectLaw)
    .option('--list-laws', 'List the laws without reading the table')
    .option(
      '--grace <minutes>',
      `Time for retries before a claim or a missing message is reported (default: ${DEFAULT_GRACE_MINUTES})`,
      notNegative,
    )
    .option('--message-days <days>', "Days for which messages are kept (default: the stage's setting)", positive)
    .addOption(
      new Option(
        '--recheck <seconds>',
        `Pause before the last check of items that break a law (default: ${DEFAULT_RECHECK_SECONDS})`,
      ).argParser(notNegative),
    )
    .addHelpText(
      'after',
      examples(
        'parley check-table --stage prod',
        'parley check-table --rate 25 --law claim-ends-with-its-lease --stage prod',
        'parley check-table --list-laws',
      ),
    )
    .action(async ({ listLaws, rate = DEFAULT_RATE, law, grace, messageDays, recheck }) => {
      if (listLaws === true) {
        context.report(describeLaws());
        return;
      }
      const { dynamodb, tables } = await (await context.target()).stores();
      const days = await findMessageDays(context, messageDays);
      const now = await stageClock(context);
      const rules = {
        graceMs: (grace ?? DEFAULT_GRACE_MINUTES) * 60_000,
        messageDays: days.days,
      };
      const checks: TableCheck[] = [];
      for (const tableName of tables) {
        // Only the progress needs the number. If the table cannot be read, the scan says why.
        const progress = createCheckProgress(context, await countItems(dynamodb, tableName).catch(() => undefined));
        try {
          const check = await checkTable({
            dynamodb,
            tableName,
            now,
            rules,
            isWanted: (name) => law === undefined || law.includes(name),
            pacer: createPacer({ unitsPerSecond: rate, nowMs: () => performance.now() }),
            onProgress: progress.update,
            recheckAfterMs: (recheck ?? DEFAULT_RECHECK_SECONDS) * 1_000,
            onRecheck: (violations) => {
              progress.stop();
              context.say(`${count(violations, 'possible violation')} found. Checking again before reporting...`);
            },
            sleep: async (ms, signal) => pause(ms, undefined, { signal }),
            stop: context.stop,
          });
          const isNothingRead = checks.length === 0 && check.items === 0;
          if (check.end === 'failed' && isNothingRead) throw explain(check.error);
          checks.push(check);
          if (check.end === 'failed') break;
        } finally {
          progress.stop();
        }
      }
      context.report(describeChecks(checks, explain, days.note));
    });

const explain = (error: unknown): CliError => {
  if (error instanceof Error && /AccessDenied/.test(error.name)) {
    return new CliError(
      EXIT.noAccess,
      'Access to the table denied. A check needs dynamodb:Scan, dynamodb:BatchGetItem, and dynamodb:DescribeTable ' +
        'on the table, and dynamodb:Query on its index byState. docs/policies/check-table.json grants them.',
    );
  }
  return isThrottled(error)
    ? new CliError(
        EXIT.failed,
        'The table has been throttled for minutes. Run the check later, or with a lower --rate.',
      )
    : explainError(error);
};

/** The shortest retention that the settings allow. */
const SHORTEST_DAYS = 1;

/** Returns the number of days for which the stage keeps messages. After that, a message may be missing. */
const findMessageDays = async (
  { api }: CommandContext,
  given: number | undefined,
): Promise<{ readonly days: number; readonly note?: string }> => {
  if (given !== undefined) return { days: given };
  try {
    const call = await api();
    const { retentionDays } = stageResponse.parse(await call('GET', '/v1/stage'));
    return { days: retentionDays.messages };
  } catch {
    const note =
      'Not checked: whether sends accepted more than a day ago have their messages, because the management API did ' +
      'not return the retention settings. Use --message-days.';
    return { days: SHORTEST_DAYS, note };
  }
};

const createCheckProgress = ({ progressTerminal, say }: CommandContext, items: number | undefined) =>
  createProgress({
    total: items ?? 0,
    noun: 'items',
    alreadyDone: 0,
    terminal: progressTerminal,
    say,
    nowMs: () => performance.now(),
  });
