import { type CommandFor, type CommandResult, count, quote } from '../base/command.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { describeCounts, type SendCount } from '../operations/send-counts.ts';
import type { BroadcastForecast } from './forecast.ts';
import { isAllSent } from './outcome.ts';
import { requestIdOf } from './plan.ts';
import { countRefused } from './refused-rows.ts';
import type { BroadcastState } from './state-file.ts';

export const interrupted = ({ done, rows }: BroadcastState, isNew: boolean): CliError =>
  new CliError(
    EXIT.interrupted,
    `Interrupted after row ${done} of ${rows}. ` +
      `Run the same command ${isNew ? 'without --new' : 'again'} to continue with row ${done + 1}.`,
  );

const describeQueued = (file: string, { queued, rows, refused }: BroadcastState): string =>
  `${file}: ${queued} of ${count(rows, 'row')} queued, ${countRefused(refused)} skipped.`;

/** What a broadcast came to. */
export interface BroadcastResult {
  readonly state: BroadcastState;
  readonly forecast?: BroadcastForecast;
  /** The outcome of its requests, if the command waited for it. */
  readonly counts?: readonly SendCount[];
}

/** What every report on a broadcast has. */
const reportOn = ({ state, forecast, counts }: BroadcastResult) => {
  const refusedRows = countRefused(state.refused);
  return {
    outcome: counts ? [`Outcome: ${describeCounts(counts)}.`] : [],
    json: { ...state, refusedRows, forecast, outcome: counts },
    exitCode: refusedRows > 0 || (counts && !isAllSent(counts)) ? EXIT.partial : EXIT.done,
  };
};

export const summarize = (file: string, result: BroadcastResult, commandFor: CommandFor): CommandResult => {
  const { state } = result;
  const { outcome, json, exitCode } = reportOn(result);
  const { requestPrefix: prefix } = state;
  const showRow = commandFor(`parley status ${quote(requestIdOf(prefix, 1))}`);
  const showOutcome = commandFor(`parley broadcast status ${quote(state.broadcastId)}`);
  return {
    lines: [
      describeQueued(file, state),
      ...outcome,
      `Broadcast ID: ${state.broadcastId}. See its outcome: ${showOutcome}`,
      `Request IDs: ${prefix}-<row>. Check the status of row 1: ${showRow}`,
    ],
    json,
    exitCode,
  };
};

export const alreadyComplete = (file: string, result: BroadcastResult): CommandResult => {
  const { outcome, json, exitCode } = reportOn(result);
  return {
    lines: [
      describeQueued(file, result.state),
      'Nothing was queued: this broadcast was already complete. To send it to the same users again, add --new.',
      ...outcome,
    ],
    json,
    exitCode,
  };
};
