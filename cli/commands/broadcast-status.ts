import { setTimeout as pause } from 'node:timers/promises';
import { Command } from '@commander-js/extra-typings';
import { type CreateCommand, count, examples, quote } from '../base/command.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { countSends, describeCounts, describeState, type SendCount, totalOf } from '../operations/send-counts.ts';
import { progressOf, UNSUCCESSFUL_STATES } from '../operations/send-progress.ts';

/** Creates `broadcast status`. */
export const createBroadcastStatusCommand: CreateCommand = ({ api, report, say, commandFor, stop }) =>
  new Command('status')
    .description(
      'Count the sends of a broadcast by state, and by the code of those that did not arrive.\n\n' +
        'A request appears once Parley has processed it; while it is being sent, it is not counted.',
    )
    .argument('<broadcast-id>', 'ID of the broadcast, as shown by broadcast')
    .option('--watch', 'Show the counts every two seconds until no send waits and they stop changing')
    .addHelpText('after', examples('parley broadcast status summer-sale --watch --stage prod'))
    .action(async (broadcastId, { watch }) => {
      const call = await api();
      const read = () => countSends(call, { broadcast: broadcastId });
      const counts = watch ? await watchCounts({ read, say, pause: () => wait(stop) }) : await read();
      if (counts.length === 0) {
        throw new CliError(
          EXIT.notFound,
          `There are no sends of the broadcast ${broadcastId}. They appear once they have been processed.`,
        );
      }
      const id = quote(broadcastId);
      // The most frequent one first.
      const unsuccessful = counts.find(({ state }) => UNSUCCESSFUL_STATES.includes(state));
      const filter = unsuccessful === undefined ? '' : ` --state ${unsuccessful.state}`;
      const list = commandFor(`parley sends list --broadcast ${id}${filter}`);
      report({
        lines: [
          `Broadcast ${broadcastId}: ${count(totalOf(counts), 'send')}.`,
          ...counts.map((each) => `${String(each.count).padStart(8)}  ${describeState(each)}`),
          `See them: ${list}`,
        ],
        json: { broadcastId, sends: totalOf(counts), counts },
      });
    });

const INTERVAL_MS = 2_000;

/** Waits until the next reading. Returns whether Ctrl-C ended the wait. */
const wait = async (stop: AbortSignal): Promise<'stopped' | 'waited'> => {
  try {
    await pause(INTERVAL_MS, undefined, { signal: stop });
    return 'waited';
  } catch {
    return 'stopped';
  }
};

/** How many readings in a row must be equal before the broadcast counts as done: ten seconds. */
const EQUAL_READINGS = 5;

const WAITING: readonly string[] = ['pending', 'scheduled'];

/** Reads the counts until no send waits and they stop changing, and says each change. Returns the latest. */
export const watchCounts = async ({
  read,
  say,
  pause,
}: {
  readonly read: () => Promise<readonly SendCount[]>;
  readonly say: (line: string) => void;
  /** Waits until the next reading. Returns `stopped` to end. */
  readonly pause: () => Promise<'stopped' | 'waited'>;
}): Promise<readonly SendCount[]> => {
  let equalReadings = 0;
  let shown: string | undefined;
  for (;;) {
    const counts = await read();
    const line = counts.length === 0 ? 'No sends yet' : describeCounts(counts);
    equalReadings = line === shown ? equalReadings + 1 : 1;
    if (line !== shown) say(line);
    shown = line;
    const isPending = counts.length === 0 || counts.some(({ state }) => WAITING.includes(progressOf(state)));
    if ((!isPending && equalReadings >= EQUAL_READINGS) || (await pause()) === 'stopped') return counts;
  }
};
