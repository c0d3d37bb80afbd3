import { randomUUID } from 'node:crypto';
import { type BroadcastPlan, planBroadcast } from '../broadcast/plan.ts';
import { queueRows } from '../broadcast/queue-rows.ts';
import { countRefused, describeRefused } from '../broadcast/refused-rows.ts';
import { type BroadcastState, readState, stateFileOf, writeState } from '../broadcast/state-file.ts';
import { type CommandFor, type CommandResult, type CreateCommand, examples } from '../command.ts';
import { CliError, EXIT } from '../errors.ts';
import { createMessageCommand, messageFields } from '../message-options.ts';
import { createProgress } from '../progress.ts';

export const createBroadcastCommand: CreateCommand = ({ target, report, commandFor, say, stop, canDrawProgress }) =>
  createMessageCommand('broadcast')
    .description(
      'Queue a send request for each row of a CSV file.\n\n' +
        'The first line names the columns. Messages, URLs, and --param values can contain ${column} placeholders. ' +
        'A template without --param receives every column except the contact column as a variable.\n\n' +
        'After Ctrl-C, run the same command again to continue. Each row is sent once, even if it is queued twice.',
    )
    .argument('<file>', 'CSV file in UTF-8')
    .option('--contact-column <name>', 'Column with the contact IDs', 'platformContactId')
    .option('--delimiter <character>', 'Delimiter between columns', ',')
    .option('--dry-run', 'Check every row without queueing it')
    .option('--new', 'Start another broadcast, even if this file was queued or interrupted before')
    .option('--yes', 'With --new: confirm that users who already received this message receive it again')
    .addHelpText(
      'after',
      examples(
        "parley broadcast customers.csv --contact-column phone --text 'Hi ${name}, we open at ${time}.' --stage prod",
        'parley broadcast customers.csv --template parcel_update --reason shipping-status --dry-run --stage prod',
      ),
    )
    .action(async (file, options) => {
      const isNew = options.new === true;
      if (options.yes && !isNew) throw new CliError(EXIT.usage, '--yes confirms --new. Add --new, or remove --yes.');
      const csv = { file, delimiter: options.delimiter };
      const plan = await planBroadcast(csv, options.contactColumn, messageFields(options));
      if (options.dryRun) {
        report(dryRunResult(file, plan));
        return;
      }
      const { sqs, addresses, id } = await target();
      const queueUrl = addresses.sendQueueUrl;
      const stateFile = stateFileOf(file, id);
      const { broadcastId: contentId, rows, template } = plan;
      // A repeated request ID would be dropped by SQS, or ignored as already sent.
      const broadcastId = isNew ? `b-${randomUUID()}` : contentId;
      const fresh = { broadcastId, contentId, destination: queueUrl, rows, done: 0, queued: 0, refused: {} };
      const saved = await readState(stateFile);
      const start = isNew ? startAgain(file, saved, fresh, options.yes === true) : resume(file, saved, fresh);
      if (isComplete(start)) {
        report(alreadyComplete(file, start));
        return;
      }
      // Saved before the first row, so that a crash cannot lose a new broadcast's request IDs.
      await writeState(stateFile, start);
      const progress = createProgress({
        total: rows,
        noun: 'rows',
        alreadyDone: start.done,
        canDrawBar: canDrawProgress,
        say,
        nowMs: () => performance.now(),
      });
      const save = async (state: BroadcastState) => {
        await writeState(stateFile, state);
        progress.update(state.done);
      };
      try {
        const state = await queueRows({ csv, template, sqs, queueUrl, stop, save }, start);
        progress.stop();
        if (!isComplete(state)) throw interrupted(state, isNew);
        report(summarize(file, state, commandFor));
      } finally {
        progress.stop();
      }
    });

const isComplete = ({ done, rows }: BroadcastState): boolean => done === rows;

/** Returns the saved state if it belongs to the same file, message, and queue; otherwise the new state. */
const resume = (file: string, saved: BroadcastState | undefined, fresh: BroadcastState): BroadcastState => {
  if (!saved || saved.destination !== fresh.destination) return fresh;
  if (saved.contentId === fresh.contentId) return saved;
  if (isComplete(saved)) return fresh;
  throw new CliError(
    EXIT.usage,
    `${file} or the message has changed since its broadcast was interrupted after row ${saved.done}. ` +
      'Undo the change to continue, or add --new to start another broadcast, which reaches those users again.',
  );
};

/** Returns the new state. Requires a confirmation if users would receive the same message again. */
const startAgain = (
  file: string,
  saved: BroadcastState | undefined,
  fresh: BroadcastState,
  isConfirmed: boolean,
): BroadcastState => {
  const isRepetition = saved?.destination === fresh.destination && saved.contentId === fresh.contentId;
  if (!isRepetition || saved.queued === 0 || isConfirmed) return fresh;
  throw new CliError(
    EXIT.usage,
    `${saved.queued} of ${saved.rows} rows of ${file} were already queued with this message. ` +
      'With --new, the same users receive it again. Add --yes to confirm.',
  );
};

const interrupted = ({ done, rows }: BroadcastState, isNew: boolean): CliError =>
  new CliError(
    EXIT.interrupted,
    `Interrupted after row ${done} of ${rows}. ` +
      `Run the same command ${isNew ? 'without --new' : 'again'} to continue with row ${done + 1}.`,
  );

const alreadyComplete = (file: string, state: BroadcastState): CommandResult => ({
  lines: [
    `${file}: ${state.queued} of ${state.rows} rows queued, ${countRefused(state.refused)} refused.`,
    'Nothing was queued: this broadcast was already complete. To send it to the same users again, add --new --yes.',
  ],
  json: { ...state, refusedRows: countRefused(state.refused) },
  exitCode: countRefused(state.refused) > 0 ? EXIT.partial : EXIT.done,
});

const summarize = (file: string, state: BroadcastState, commandFor: CommandFor): CommandResult => {
  const { broadcastId, queued, refused, rows } = state;
  const refusedRows = countRefused(refused);
  return {
    lines: [
      `${file}: ${queued} of ${rows} rows queued, ${refusedRows} refused.`,
      ...describeRefused(refused),
      `Request IDs: ${broadcastId}-<row>. Check the status of row 1: ${commandFor(`parley status ${broadcastId}-1`)}`,
    ],
    json: { ...state, refusedRows },
    exitCode: refusedRows > 0 ? EXIT.partial : EXIT.done,
  };
};

const dryRunResult = (file: string, { rows, refused, broadcastId }: BroadcastPlan): CommandResult => {
  const refusedRows = countRefused(refused);
  const valid = rows - refusedRows;
  return {
    lines: [
      `${file}: ${valid} of ${rows} rows would be queued, ${refusedRows} refused (dry run).`,
      ...describeRefused(refused),
    ],
    json: { broadcastId, rows, valid, refused },
    exitCode: refusedRows > 0 ? EXIT.partial : EXIT.done,
  };
};
