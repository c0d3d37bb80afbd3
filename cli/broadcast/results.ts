import { type CommandFor, type CommandResult, count } from '../command.ts';
import { CliError, EXIT } from '../errors.ts';
import type { BroadcastForecast } from './forecast.ts';
import { requestIdOf } from './plan.ts';
import { countRefused } from './refused-rows.ts';
import { type BroadcastState, requestPrefixOf } from './state-file.ts';

export const interrupted = ({ done, rows }: BroadcastState, isNew: boolean): CliError =>
  new CliError(
    EXIT.interrupted,
    `Interrupted after row ${done} of ${rows}. ` +
      `Run the same command ${isNew ? 'without --new' : 'again'} to continue with row ${done + 1}.`,
  );

const describeQueued = (file: string, { queued, rows, refused }: BroadcastState): string =>
  `${file}: ${queued} of ${count(rows, 'row')} queued, ${countRefused(refused)} refused.`;

export const alreadyComplete = (file: string, state: BroadcastState): CommandResult => ({
  lines: [
    describeQueued(file, state),
    'Nothing was queued: this broadcast was already complete. To send it to the same users again, add --new.',
  ],
  json: { ...state, refusedRows: countRefused(state.refused) },
  exitCode: countRefused(state.refused) > 0 ? EXIT.partial : EXIT.done,
});

export const summarize = (
  file: string,
  state: BroadcastState,
  forecast: BroadcastForecast | undefined,
  commandFor: CommandFor,
): CommandResult => {
  const refusedRows = countRefused(state.refused);
  const prefix = requestPrefixOf(state);
  return {
    lines: [
      describeQueued(file, state),
      `Request IDs: ${prefix}-<row>. Check the status of row 1: ${commandFor(`parley status ${requestIdOf(prefix, 1)}`)}`,
    ],
    json: { ...state, refusedRows, forecast },
    exitCode: refusedRows > 0 ? EXIT.partial : EXIT.done,
  };
};
