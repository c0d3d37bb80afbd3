import { type CommandContext, type CommandResult, type CreateCommand, count, examples } from '../base/command.ts';
import { confirm } from '../base/confirm.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { createMessageCommand, messageFields } from '../base/message-options.ts';
import { createProgress, type Progress } from '../base/progress.ts';
import type { Target } from '../base/target.ts';
import { type CsvFile, readCsv } from '../broadcast/csv-rows.ts';
import { broadcastId, delimiter, wholeNumber } from '../broadcast/option-values.ts';
import { waitForOutcome } from '../broadcast/outcome.ts';
import { type BroadcastPlan, type PlannedMessage, planBroadcast } from '../broadcast/plan.ts';
import { type PreparedBroadcast, type PrepareOptions, prepareBroadcast, requestsOf } from '../broadcast/prepare.ts';
import { queueRows } from '../broadcast/queue-rows.ts';
import { describePlan, interrupted, reportOf, summarize } from '../broadcast/results.ts';
import { MAX_REPETITION } from '../broadcast/row-identity.ts';
import { withoutReplaced } from '../broadcast/selection.ts';
import { createPacer } from '../operations/pacer.ts';
import type { SendCount } from '../operations/send-counts.ts';

export const createBroadcastCommand: CreateCommand = (context) =>
  createMessageCommand('broadcast')
    .description(
      'Queue a send request for each row of a CSV file.\n\n' +
        'The first line names the columns. Messages, URLs, and --param values can contain {{column}} placeholders. ' +
        'A template without --param receives every column except the contact column as a variable.\n\n' +
        'Before it queues anything, the command shows the first and the longest rows, rows with unusual characters, ' +
        'invalid rows, and a forecast, and asks for confirmation. Requests expire after 24 hours, unless you set ' +
        '--not-after.\n\n' +
        'A contact gets a broadcast only once. To continue after Ctrl-C, or to send to rows that you added, run the ' +
        'same command again: the stage knows who already has the broadcast, even if you sorted the file, saved it in ' +
        'another encoding, or wrote numbers in another way.',
    )
    .argument('<file>', 'CSV file')
    .option('--contact-column <name>', 'Column with the contact IDs', 'platformContactId')
    .option(
      '--delimiter <character>',
      'Delimiter between columns: one character, or "tab" (default: detected from the header)',
      delimiter,
    )
    .option(
      '--encoding <name>',
      'Encoding of the file, such as windows-1252 (default: utf-8, or utf-16 if it has a byte order mark)',
    )
    .option('--dry-run', 'Check every row and show the forecast, without queueing')
    .option('--yes', 'Queue without asking')
    .option('--skip-invalid-rows', 'Queue the valid rows even if others are invalid')
    .option('--allow-repeats', 'Send each row, even if several are for the same contact')
    .option('--per-second <rows>', 'Queue at most this many rows per second', wholeNumber('--per-second', 1, 99_999))
    .option('--wait', 'Wait until every message is sent, refused, or scheduled, and show the outcome')
    .option(
      '--id <id>',
      'ID of the broadcast, which a contact gets only once (default: derived from the message)',
      broadcastId,
    )
    .option(
      '--again <number>',
      'Send it again to all contacts in the file: 2 is the second time',
      wholeNumber('--again', 2, MAX_REPETITION),
    )
    .option('--retry-unsent', 'Retry requests that were refused, rejected, cancelled, or expired')
    .addHelpText(
      'after',
      examples(
        "parley broadcast customers.csv --contact-column phone --text 'Hi {{name}}, we open at {{time}}.' --stage prod",
        'parley broadcast customers.csv --template parcel_update --reason shipping-status --dry-run --stage prod',
      ),
    )
    .action(async (file, options) => {
      const { contactColumn, encoding, id, allowRepeats = false, again = 1, retryUnsent = false } = options;
      const csv = { file, delimiter: options.delimiter, encoding };
      const message = {
        contactColumn,
        fields: messageFields(options),
        id,
        allowRepeats,
        retryUnsent,
        repetition: again,
      };
      context.report(await broadcast(context, csv, message, options));
    });

/** Returns the bulk queue, or the send queue in a stage without one. */
const broadcastQueueUrl = ({ addresses }: Target): string => addresses.bulkSendQueueUrl ?? addresses.sendQueueUrl;

interface BroadcastOptions {
  readonly dryRun?: true;
  readonly yes?: true;
  readonly skipInvalidRows?: true;
  readonly wait?: true;
  readonly perSecond?: number;
}

const broadcast = async (
  context: CommandContext,
  csv: CsvFile,
  message: PlannedMessage & PrepareOptions,
  options: BroadcastOptions,
): Promise<CommandResult> => {
  const { commandFor, say } = context;
  const plan = await planBroadcast(await readCsv(csv, message.contactColumn), message);
  const described = describePlan(plan, message.allowRepeats);
  if (options.dryRun) return dryRun(context, plan, described, message);

  const target = await context.target().catch((error: unknown) => {
    for (const line of [...described, ...plan.invalid.describe()]) say(line);
    requireValidRows(plan, options);
    throw error;
  });
  const prepared = await prepareBroadcast(await context.api(), plan, message);
  const { selection, lines } = prepared;
  for (const line of [...described, ...plan.invalid.describe(), ...lines]) say(line);
  if (selection.requestIds.size + selection.done.length === 0) {
    throw new CliError(EXIT.usage, `No row of ${plan.csv.file} can be sent, so nothing was queued. Fix the rows.`);
  }
  requireValidRows(plan, options);
  if (selection.requestIds.size === 0) {
    return summarize({ prepared, queued: 0, ...(await outcome(context, prepared, options)) }, commandFor);
  }
  if (options.yes !== true) {
    const messages = count(selection.requestIds.size, 'message');
    await confirm(context, `Send ${messages} through ${target.name}?`, 'Nothing was queued.');
  }
  const queued = await queue(context, prepared, target, options.perSecond);
  if (queued < selection.requestIds.size) throw interrupted(queued, selection.requestIds.size);
  return summarize({ prepared, queued, ...(await outcome(context, prepared, options)) }, commandFor);
};

/** @throws CliError if rows are not valid, unless they may be skipped. */
const requireValidRows = ({ invalid }: BroadcastPlan, { skipInvalidRows }: BroadcastOptions): void => {
  const rows = invalid.count();
  if (rows === 0 || skipInvalidRows) return;
  throw new CliError(
    EXIT.usage,
    `Nothing was queued, because ${count(rows, 'row is', 'rows are')} invalid. Fix them, or add ` +
      '--skip-invalid-rows to send the others. You can send the fixed rows later with the same command.',
  );
};

const dryRun = async (
  context: CommandContext,
  plan: BroadcastPlan,
  described: readonly string[],
  message: PrepareOptions,
): Promise<CommandResult> => {
  const target = await context.target().catch((error: unknown) => {
    // Without a target, the rows can still be checked.
    if (error instanceof CliError && error.exitCode === EXIT.usage) return undefined;
    throw error;
  });
  const prepared = target && (await prepareBroadcast(await context.api(), plan, message));
  const invalid = plan.invalid.count();
  const valid = prepared?.selection.requestIds.size ?? plan.messages;
  const { invalid: reasons } = plan;
  return {
    lines: [
      ...described,
      ...reasons.describe(),
      ...(prepared?.lines ?? [
        'Without a stage, contacts that are not phone numbers are not checked, and rows that were already sent are ' +
          'counted. To check them and to show a forecast, add --stage <name> or --local.',
      ]),
      `${valid} of ${count(plan.rows, 'row')} would be queued (dry run).`,
    ],
    json: prepared
      ? { ...reportOf(prepared), valid }
      : { broadcastId: plan.template.broadcastId, rows: plan.rows, valid, invalid: reasons.byReason() },
    exitCode: invalid > 0 ? EXIT.partial : EXIT.done,
  };
};

const withProgress = async <Result>(
  { say, progressTerminal }: CommandContext,
  { total, noun }: { readonly total: number; readonly noun: string },
  act: (progress: Progress) => Promise<Result>,
): Promise<Result> => {
  const nowMs = () => performance.now();
  const progress = createProgress({ total, noun, alreadyDone: 0, terminal: progressTerminal, say, nowMs });
  try {
    return await act(progress);
  } finally {
    progress.stop();
  }
};

/** Waits for the outcome of the whole broadcast if the operator asks for it. */
const outcome = async (
  context: CommandContext,
  { selection, ledger }: PreparedBroadcast,
  { wait }: BroadcastOptions,
): Promise<{ readonly counts?: readonly SendCount[] }> => {
  if (wait !== true) return {};
  const { broadcastId, requestIds } = selection;
  const queued = ledger.requestIds.size + requestIds.size;
  const call = await context.api();
  const counts = await withProgress(context, { total: queued, noun: 'messages' }, (progress) =>
    waitForOutcome(call, { broadcastId, queued }, { progress, stop: context.stop }),
  );
  return { counts: withoutReplaced(counts, selection) };
};

const queue = (
  context: CommandContext,
  { plan, selection }: PreparedBroadcast,
  target: Target,
  perSecond: number | undefined,
): Promise<number> => {
  const nowMs = () => performance.now();
  const pace = perSecond && {
    rowsPerSecond: perSecond,
    pacer: createPacer({ unitsPerSecond: perSecond, nowMs }),
  };
  const { broadcastId, requestIds } = selection;
  return withProgress(context, { total: requestIds.size, noun: 'messages' }, (progress) =>
    queueRows(
      {
        sqs: target.sqs,
        queueUrl: broadcastQueueUrl(target),
        broadcastId,
        stop: context.stop,
        onQueued: progress.update,
        ...(pace && { pace }),
      },
      requestsOf(plan, selection),
    ),
  );
};
