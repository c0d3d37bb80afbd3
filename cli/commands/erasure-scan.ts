import { Command } from '@commander-js/extra-typings';
import { type CreateCommand, contactArgument, examples } from '../base/command.ts';
import { EXIT } from '../base/errors.ts';
import { type ErasureScan, scanForTraces } from '../operations/erasure-scan.ts';
import type { SearchedStore } from '../operations/store-scan.ts';

const collect = (value: string, previous: readonly string[] = []): readonly string[] => [...previous, value];

export const createErasureScanCommand: CreateCommand = ({ target, report, say }) =>
  new Command('erasure-scan')
    .description(
      'Search every store for what is left of a contact, such as after an erasure.\n\n' +
        'The command reads the whole table, the schedules, and the queues, and, in a local run, the logs. It prints ' +
        'where it finds the contact ID, in any spelling, and changes nothing. It receives the messages of the queues ' +
        'and releases them, which hides them while a queue is searched. If it finds a trace, the exit code is 6.',
    )
    .addArgument(contactArgument())
    .option('--customer-id <id>', "Also search for the chat service's ID of the user (repeatable)", collect)
    .option('--text <text>', 'Also search for a text that the user or the business wrote (repeatable)', collect)
    .addHelpText('after', examples('parley erasure-scan +5491150000001 --customer-id 5f0c9a52 --stage prod'))
    .action(async (contact, { customerId = [], text = [] }) => {
      const stores = await (await target()).stores();
      const wanted = { ids: [contact, ...customerId], texts: text };
      const scan = await scanForTraces(stores, wanted, (store, count) => {
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
