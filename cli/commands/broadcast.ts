import { randomUUID } from 'node:crypto';
import { BROADCAST_ID } from '../../lambdas/domain/send-request.ts';
import { type CommandContext, type CommandResult, type CreateCommand, count, examples } from '../base/command.ts';
import { confirm } from '../base/confirm.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { describeTime } from '../base/human-time.ts';
import { createMessageCommand, messageFields } from '../base/message-options.ts';
import { createProgress } from '../base/progress.ts';
import type { Target } from '../base/target.ts';
import type { CsvFile } from '../broadcast/csv-rows.ts';
import { describeForecast } from '../broadcast/forecast.ts';
import { waitForOutcome } from '../broadcast/outcome.ts';
import { type BroadcastPlan, type PlannedMessage, planBroadcast } from '../broadcast/plan.ts';
import { defaultNotAfter, describeHolds, findStartedBroadcast, forecastRows } from '../broadcast/prepare.ts';
import { describePlan } from '../broadcast/preview.ts';
import { queueRows } from '../broadcast/queue-rows.ts';
import { countRefused } from '../broadcast/refused-rows.ts';
import { alreadyComplete, interrupted, summarize } from '../broadcast/results.ts';
import { continueState, describeRepetition, isComplete } from '../broadcast/start-state.ts';
import { type BroadcastState, readState, stateFileOf, writeState } from '../broadcast/state-file.ts';
import { hasDefaultNotAfter } from '../broadcast/template.ts';
import { createPacer } from '../operations/pacer.ts';
import type { SendCount } from '../operations/send-counts.ts';

export const createBroadcastCommand: CreateCommand = (context) =>
  createMessageCommand('broadcast')
    .description(
      'Queue a send request for each row of a CSV file.\n\n' +
        'The first line names the columns. Messages, URLs, and --param values can contain {{column}} placeholders. ' +
        'A template without --param receives every column except the contact column as a variable.\n\n' +
        'The command shows the first rows, the faulty rows, and a forecast, and asks before it queues anything. ' +
        'Requests expire after 24 hours, unless --not-after says otherwise.\n\n' +
        'After Ctrl-C, run the same command again to continue. Each row is sent once, even if it is queued twice.',
    )
    .argument('<file>', 'CSV file in UTF-8')
    .option('--contact-column <name>', 'Column with the contact IDs', 'platformContactId')
    .option('--delimiter <character>', 'Delimiter between columns', ',')
    .option('--dry-run', 'Check every row and show the forecast, without queueing')
    .option('--yes', 'Queue without asking')
    .option('--per-second <rows>', 'Queue at most this many rows per second', wholeNumber)
    .option('--wait', 'Wait until every message is sent, refused, or scheduled, and show the outcome')
    .option('--id <id>', 'ID for finding the sends of the broadcast (default: derived from the content)', broadcastId)
    .option('--new', 'Start another broadcast, even if this file was queued or interrupted before')
    .addHelpText(
      'after',
      examples(
        "parley broadcast customers.csv --contact-column phone --text 'Hi {{name}}, we open at {{time}}.' --stage prod",
        'parley broadcast customers.csv --template parcel_update --reason shipping-status --dry-run --stage prod',
      ),
    )
    .action(async (file, options) => {
      const csv = { file, delimiter: options.delimiter };
      const message = { contactColumn: options.contactColumn, fields: messageFields(options) };
      context.report(
        options.dryRun
          ? await dryRun(context, csv, await planBroadcast(csv, message))
          : await broadcast(context, csv, message, options),
      );
    });

const wholeNumber = (text: string): number => {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new CliError(EXIT.usage, `--per-second ${text} is invalid. Use a whole number from 1 to 99999.`);
};

const broadcastId = (id: string): string => {
  if (BROADCAST_ID.test(id)) return id;
  throw new CliError(EXIT.usage, `--id ${id} is invalid. Use 1 to 64 letters, digits, or punctuation characters.`);
};

const dryRun = async (context: CommandContext, csv: CsvFile, plan: BroadcastPlan): Promise<CommandResult> => {
  const { rows, refused, contentId, template } = plan;
  const target = await context.target().catch((error: unknown) => {
    // Without a target, the rows can still be checked.
    if (error instanceof CliError && error.exitCode === EXIT.usage) return undefined;
    throw error;
  });
  const forecast = target && (await forecastRows(await context.api(), csv, { ...template, broadcastId: contentId }, 0));
  const refusedRows = countRefused(refused);
  const valid = rows - refusedRows;
  return {
    lines: [
      ...describePlan(csv.file, plan),
      ...(forecast ? [describeForecast(forecast)] : []),
      ...(target ? [] : ['For a forecast, add --stage <name> or --local.']),
      `${valid} of ${count(rows, 'row')} would be queued, ${refusedRows} skipped (dry run).`,
    ],
    json: { broadcastId: contentId, rows, valid, refused, forecast },
    exitCode: refusedRows > 0 ? EXIT.partial : EXIT.done,
  };
};

/** Returns the bulk queue, or the send queue in a stage without one. */
const broadcastQueueUrl = ({ addresses }: Target): string => addresses.bulkSendQueueUrl ?? addresses.sendQueueUrl;

interface BroadcastOptions {
  readonly yes?: true;
  readonly wait?: true;
  readonly new?: true;
  readonly id?: string;
  readonly perSecond?: number;
}

const broadcast = async (
  context: CommandContext,
  csv: CsvFile,
  message: PlannedMessage,
  options: BroadcastOptions,
): Promise<CommandResult> => {
  const { say, commandFor } = context;
  const { file } = csv;
  const isNew = options.new === true;
  const plan = await planBroadcast(csv, message);
  const target = await context.target();
  const { contentId, rows } = plan;
  // A repeated request ID would be dropped by SQS, or ignored as already sent.
  const requestPrefix = isNew ? `b-${randomUUID()}` : contentId;
  const fresh: BroadcastState = {
    broadcastId: options.id ?? requestPrefix,
    requestPrefix,
    contentId,
    destination: broadcastQueueUrl(target),
    rows,
    done: 0,
    queued: 0,
    refused: {},
  };
  const stateFile = stateFileOf(file, target.id);
  const saved = await readState(stateFile);
  let start = isNew ? fresh : continueState(file, saved, fresh, options.id);
  if (isComplete(start)) {
    return alreadyComplete(file, { state: start, counts: options.wait && (await wait(context, start)) });
  }

  for (const line of describePlan(file, plan)) say(line);
  if (rows === countRefused(plan.refused)) {
    throw new CliError(EXIT.usage, `No row of ${file} can be sent, so nothing was queued. Fix the rows.`);
  }
  const repetition = isNew ? describeRepetition(file, saved, fresh) : undefined;
  if (repetition !== undefined) say(repetition);
  const call = await context.api();
  const named = { ...plan.template, broadcastId: start.broadcastId };
  const forecast = await forecastRows(call, csv, named, start.done);
  const started =
    start === fresh && !isNew && hasDefaultNotAfter(named)
      ? await findStartedBroadcast(call, requestPrefix, plan.firstSendable)
      : undefined;
  if (started) say('This broadcast was started before. Requests that were already queued are not sent again.');
  if (start === fresh && forecast) {
    start = { ...fresh, notAfter: started ? started.notAfter : defaultNotAfter(named, forecast.at) };
  }
  const template = { ...named, notAfter: start.notAfter };
  if (forecast) say(describeForecast(forecast));
  if (forecast) for (const line of await describeHolds(call, forecast.at)) say(line);
  if (start.notAfter !== undefined) {
    const expiry = describeTime(start.notAfter, forecast?.at ?? start.notAfter);
    say(`Messages not sent by ${expiry} expire. Use --not-after to set another time.`);
  }

  if (options.yes !== true) {
    const left = rows - start.done - countRefused(plan.refused) + countRefused(start.refused);
    const messages = start.done > 0 ? `the remaining ${count(left, 'message')}` : count(left, 'message');
    await confirm(context, `Send ${messages} through ${target.name}?`, 'Nothing was queued.');
  }
  const state = await queue(context, { csv, template, stateFile, target, perSecond: options.perSecond }, start);
  if (!isComplete(state)) throw interrupted(state, isNew);
  return summarize(file, { state, forecast, counts: options.wait && (await wait(context, state)) }, commandFor);
};

const wait = async (
  { api, say, stop, progressTerminal }: CommandContext,
  state: BroadcastState,
): Promise<readonly SendCount[]> => {
  const progress = createProgress({
    total: state.queued,
    noun: 'messages',
    alreadyDone: 0,
    terminal: progressTerminal,
    say,
    nowMs: () => performance.now(),
  });
  try {
    return await waitForOutcome(await api(), state, { progress, stop });
  } finally {
    progress.stop();
  }
};

interface QueueSettings {
  readonly csv: CsvFile;
  readonly template: BroadcastPlan['template'];
  readonly stateFile: string;
  readonly target: Target;
  readonly perSecond?: number;
}

const queue = async (
  { say, stop, progressTerminal }: CommandContext,
  { csv, template, stateFile, target, perSecond }: QueueSettings,
  start: BroadcastState,
): Promise<BroadcastState> => {
  const nowMs = () => performance.now();
  // Saved before the first row, so that a crash cannot lose a new broadcast's request IDs.
  await writeState(stateFile, start);
  const progress = createProgress({
    total: start.rows,
    noun: 'rows',
    alreadyDone: start.done,
    terminal: progressTerminal,
    say,
    nowMs,
  });
  const save = async (state: BroadcastState) => {
    await writeState(stateFile, state);
    progress.update(state.done);
  };
  const pace = perSecond && {
    rowsPerSecond: perSecond,
    pacer: createPacer({ unitsPerSecond: perSecond, nowMs }),
  };
  const { sqs } = target;
  try {
    const settings = { csv, template, sqs, queueUrl: broadcastQueueUrl(target), stop, save, ...(pace && { pace }) };
    return await queueRows(settings, start);
  } finally {
    progress.stop();
  }
};
