import { type CommandFor, type CommandResult, count, quote } from '../base/command.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { describeCounts, type SendCount } from '../operations/send-counts.ts';
import { isAllSent } from './outcome.ts';
import type { BroadcastPlan } from './plan.ts';
import { describeFile, describeUnsent, type PreparedBroadcast } from './prepare.ts';
import { describePreviewed } from './preview.ts';
import { countRefused, describeRefused } from './refused-rows.ts';

/** Describes a file as it would be sent: its rows, the strangest of them, and those that repeat a contact. */
export const describePlan = (plan: BroadcastPlan, allowRepeats: boolean): readonly string[] => {
  const { preview, repeats } = plan;
  const repeated = countRefused(repeats);
  return [
    describeFile(plan),
    ...preview.map(describePreviewed),
    ...(repeated === 0
      ? []
      : [
          `${count(repeated, 'row repeats', 'rows repeat')} the contact of an earlier row, in any spelling` +
            `${allowRepeats ? ', and will be sent too' : '; only the first row of each contact will be sent'}:`,
          ...describeRefused(repeats),
        ]),
  ];
};

export const interrupted = (queued: number, total: number): CliError =>
  new CliError(
    EXIT.interrupted,
    `Interrupted after ${queued} of ${count(total, 'message')}. Run the same command again to continue.`,
  );

/** What a broadcast came to. */
export interface BroadcastResult {
  readonly prepared: PreparedBroadcast;
  readonly queued: number;
  /** The outcome of its requests, if the command waited for it. */
  readonly counts?: readonly SendCount[];
}

/** What `--json` prints. */
export const reportOf = ({ plan, selection, forecast }: PreparedBroadcast) => {
  const { unknownContacts: _, ...forecasts } = forecast ?? { unknownContacts: [] };
  return {
    broadcastId: selection.broadcastId,
    rows: plan.rows,
    contacts: plan.contacts.size,
    encoding: plan.csv.encoding,
    delimiter: plan.csv.delimiter,
    invalidRows: plan.invalid.count(),
    invalid: plan.invalid.byReason(),
    repeats: plan.repeats,
    alreadyQueued: selection.done.length,
    unsent: selection.done.filter(({ entry }) => entry.isUnsent).length,
    forecast: forecast && forecasts,
  };
};

export const summarize = ({ prepared, queued, counts }: BroadcastResult, commandFor: CommandFor): CommandResult => {
  const { plan, selection, ledger } = prepared;
  const { broadcastId, requestIds, done } = selection;
  const [requestId] = requestIds.values();
  return {
    lines: [
      queued === 0
        ? `Nothing was queued: ${count(done.length, 'row is', 'rows are')} for contacts that already have a request in ` +
          `this broadcast. To send it to the same contacts once more, add --again ${ledger.next}.`
        : `${plan.csv.file}: ${queued} of ${count(plan.rows, 'row')} queued, ${plan.rows - queued} not.`,
      ...(queued === 0 ? describeUnsent(done) : []),
      ...(counts ? [`Outcome: ${describeCounts(counts)}.`] : []),
      `Broadcast ID: ${broadcastId}. See its outcome: ${commandFor(`parley broadcast status ${quote(broadcastId)}`)}`,
      ...(requestId === undefined
        ? []
        : [`Check the status of the first message: ${commandFor(`parley status ${quote(requestId)}`)}`]),
    ],
    json: { ...reportOf(prepared), queued, outcome: counts },
    exitCode: plan.invalid.count() > 0 || (counts && !isAllSent(counts)) ? EXIT.partial : EXIT.done,
  };
};
