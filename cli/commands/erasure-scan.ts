import { Command } from '@commander-js/extra-typings';
import { type CreateCommand, examples } from '../base/command.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { NO_USER } from '../base/named-user.ts';
import { type ErasureScan, scanForTraces } from '../operations/erasure-scan.ts';
import type { SearchedStore } from '../operations/store-scan.ts';

const collect = (value: string, previous: readonly string[] = []): readonly string[] => [...previous, value];

export const createErasureScanCommand: CreateCommand = ({ target, report, say }) =>
  new Command('erasure-scan')
    .description(
      'Search every store for what is left of a user, such as after an erasure.\n\n' +
        'The command reads the whole table, the schedules, and the queues, and, in a local run, the logs. It prints ' +
        'where it finds a contact ID, in any spelling, or a customer ID, and changes nothing. It receives the messages ' +
        'of the queues and releases them, which hides them while a queue is searched. If it finds a trace, the exit ' +
        'code is 6.',
    )
    .argument('[contact...]', 'Contact IDs of the user, such as +5491150000001')
    .option('--customer <id>', "Search for the chat service's ID of the user (repeatable)", collect)
    .option('--text <text>', 'Also search for a text that the user or the business wrote (repeatable)', collect)
    .addHelpText('after', examples('parley erasure-scan +5491150000001 --customer 5f0c9a52 --stage prod'))
    .action(async (contacts, { customer = [], text = [] }) => {
      const ids = [...contacts, ...customer];
      if (ids.length === 0) throw new CliError(EXIT.usage, NO_USER);
      const stores = await (await target()).stores();
      const scan = await scanForTraces(stores, { ids, texts: text }, (store, count) => {
        if (count > 0 && count % 100_000 < 1_000) say(`${store}: ${count} items read`);
      });
      report({
        lines: describeScan(scan),
        json: scan,
        exitCode: scan.traces.length > 0 ? EXIT.partial : EXIT.done,
      });
    });

const describeScan = ({ searched, traces, notSearched }: ErasureScan): readonly string[] => [
  ...searched.map(describeSearched),
  ...notSearched.map((store) => `Not searched: ${store}`),
  ...traces.map(({ store, place, fields }) => `Found: ${store}: ${place}${describeFields(fields)}`),
  traces.length === 0 ? 'No trace found.' : `Traces found: ${traces.length}.`,
];

const describeSearched = ({ store, kind, count, unread = 0 }: SearchedStore): string =>
  `Searched: ${store}: ${count} ${kind}${unread > 0 ? `; ${unread} more are in flight or behind others` : ''}`;

const describeFields = (fields: readonly string[]): string => {
  const named = fields.filter((field) => field !== '');
  return named.length === 0 ? '' : ` (${named.join(', ')})`;
};
