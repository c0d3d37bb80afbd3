import { createProgress } from '../broadcast/progress.ts';
import { sendRows } from '../broadcast/send-rows.ts';
import { type BroadcastState, readState, stateFileOf, writeState } from '../broadcast/state-file.ts';
import { type Survey, survey } from '../broadcast/survey.ts';
import { CliError } from '../cli-error.ts';
import type { CommandDefinition, CommandResult } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { MESSAGE_OPTIONS, messageFields } from '../message-options.ts';

export const broadcast: CommandDefinition = {
  name: 'broadcast',
  what: 'Put a send request on the queue for each row of a CSV file',
  note:
    'The first line names the columns; --text, --param and the addresses may hold ${column}. A template without --param takes ' +
    'every column but the contact’s as a variable. Stopped by Ctrl-C, the same command goes on where it was; a row is sent once, ' +
    'however often it is queued.',
  positionals: [{ name: 'FILE', what: 'a CSV file in UTF-8' }],
  options: [
    { name: 'contact-column', value: 'NAME', what: 'the column with the users (default: platformContactId)' },
    ...MESSAGE_OPTIONS,
    { name: 'delimiter', value: 'CHARACTER', what: 'what stands between the columns (default: a comma)' },
    { name: 'dry-run', what: 'check every row and queue nothing' },
    { name: 'new', what: 'begin another broadcast although one of this file was stopped half-way' },
  ],
  examples: [
    'parley broadcast customers.csv --contact-column phone --text "Hi ${name}, we open at ${time}." --stage prod',
    'parley broadcast customers.csv --template parcel_update --reason shipping-status --dry-run --stage prod',
  ],
  async run(call) {
    const file = call.positional('FILE');
    const csv = { file, delimiter: call.option('delimiter') ?? ',' };
    const contactColumn = call.option('contact-column') ?? 'platformContactId';
    const surveyed = await survey(csv, contactColumn, messageFields(call));
    if (call.isSet('dry-run')) return dryRun(file, surveyed);

    const { sqs, addresses, isLocal, place } = await call.surroundings();
    const stateFile = stateFileOf(file, isLocal, place);
    const fresh: BroadcastState = {
      broadcastId: surveyed.broadcastId,
      destination: addresses.sendQueueUrl,
      rows: surveyed.rows,
      done: 0,
      queued: 0,
      refused: {},
    };
    const begun = goOn(file, await readState(stateFile), fresh, call.isSet('new'));
    const progress = createProgress({
      rows: begun.rows,
      begunAt: begun.done,
      isTerminal: process.stderr.isTTY && !call.isJson,
      say: call.say,
      nowMs: () => performance.now(),
    });
    try {
      const keep = async (state: BroadcastState) => {
        await writeState(stateFile, state);
        progress.update(state.done);
      };
      const { plan } = surveyed;
      const state = await sendRows({ csv, plan, sqs, queueUrl: addresses.sendQueueUrl, stop: call.stop, keep }, begun);
      progress.stop();
      if (state.done < state.rows) {
        throw new CliError(
          EXIT.stopped,
          `Stopped after row ${state.done} of ${state.rows}; the same command goes on with row ${state.done + 1}.`,
        );
      }
      return summary(file, state);
    } finally {
      progress.stop();
    }
  },
};

/** Where to begin: behind what was done of the same broadcast. */
const goOn = (
  file: string,
  before: BroadcastState | undefined,
  fresh: BroadcastState,
  isNew: boolean,
): BroadcastState => {
  if (!before || before.destination !== fresh.destination) return fresh;
  if (before.broadcastId === fresh.broadcastId) return before;
  if (isNew || before.done === before.rows) return fresh;
  throw new CliError(
    EXIT.usage,
    `${file} or the message has changed since its broadcast was stopped after row ${before.done}; put it back to go on, ` +
      'or give --new to begin another, which reaches the users of those rows again.',
  );
};

const summary = (file: string, state: BroadcastState): CommandResult => {
  const refused = Object.entries(state.refused);
  const count = refused.reduce((sum, [, { count }]) => sum + count, 0);
  const lines = refused.map(
    ([why, { count, rows }]) => `  ${count}: ${why} (row ${rows.join(', ')}${count > rows.length ? ' …' : ''})`,
  );
  return {
    text: [
      `${file}: ${state.queued} of ${state.rows} rows queued, ${count} refused.`,
      ...lines,
      `Their request ids are ${state.broadcastId}-ROW; see parley status ${state.broadcastId}-1.`,
    ].join('\n'),
    json: { ...state, refusedRows: count },
    exitCode: count > 0 ? EXIT.partly : EXIT.done,
  };
};

const dryRun = (file: string, { rows, good, broadcastId }: Survey): CommandResult => ({
  text: `${file}: ${good} of ${rows} rows would be queued${good < rows ? `, ${rows - good} refused` : ''}; nothing was.`,
  json: { broadcastId, rows, good },
  exitCode: good < rows ? EXIT.partly : EXIT.done,
});
