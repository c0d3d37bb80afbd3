import { Command, Option } from '@commander-js/extra-typings';
import { countMessages } from '../../lambdas/adapters/sqs-backlog.ts';
import { IMPORT_FORMATS } from '../../lambdas/domain/history-formats/parse-history.ts';
import { stageResponse } from '../../lambdas/manage/api/stage.ts';
import {
  type CommandContext,
  type CommandResult,
  type CreateCommand,
  count,
  examples,
  quote,
} from '../base/command.ts';
import { confirm } from '../base/confirm.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { describeTime } from '../base/human-time.ts';
import { stageTime } from '../base/stage-time.ts';
import type { Target } from '../base/target.ts';
import { describeRefused } from '../broadcast/refused-rows.ts';
import { downloadHistory, parseSince } from '../import/download-history.ts';
import type { ImportCounts } from '../import/import-chunk.ts';
import { type ImportState, importStateFile, readImportState, removeImportState } from '../import/import-state.ts';
import { findImportWarnings, listed } from '../import/import-warnings.ts';
import { type ImportPlan, planImport } from '../import/plan-import.ts';
import { findEntries, nameOf, readText, STANDARD_INPUT } from '../import/read-history.ts';
import { findLikelySends, type LikelySend, MAX_RESOLVED_SENDS, resolveSends } from '../import/resolve-sends.ts';
import { countUnreadable, forecastImport, importChunks } from '../import/run-import.ts';

export const createImportCommand: CreateCommand = (context) =>
  new Command('import')
    .description(
      "Store what is missing from the chat service's history.\n\n" +
        'The file has what the service returned: pages or entries of POST message/download or GET /messages, or ' +
        'recorded posts of the webhook, as one JSON document or one per line. Each message is stored once, with its own ' +
        'time: an old message opens no window that has closed since, and lifts no later opt-out.\n\n' +
        'The command shows what is missing, and asks before it stores anything. After Ctrl-C, run it again to continue.',
    )
    .argument('[file]', 'File in UTF-8, or - for standard input')
    .addOption(
      new Option('--format <name>', 'Accept only this format (default: recognize each entry)').choices(IMPORT_FORMATS),
    )
    .option('--from-service', 'Read the history from the chat service, by POST message/download')
    .option('--since <time>', 'With --from-service: read what was written since then, at most a week ago')
    .option('--dry-run', 'Show what would be stored, without storing it')
    .option('--yes', 'Import without asking')
    .option('--resolve', 'Afterward, resolve each uncertain send as accepted of which exactly one message matches')
    .option('--state <file>', 'File that remembers how far the import is (default: next to the history)')
    .addHelpText(
      'after',
      examples(
        'parley import history.json --dry-run --stage prod',
        'parley import --from-service --since 2026-11-20T06:00:00Z --stage prod',
      ),
    )
    .action(async (file, options) => context.report(await importHistory(context, file, options)));

interface ImportOptions {
  readonly format?: string | undefined;
  readonly dryRun?: true | undefined;
  readonly yes?: true | undefined;
  readonly state?: string | undefined;
  readonly fromService?: true | undefined;
  readonly since?: string | undefined;
  readonly resolve?: true | undefined;
}

const importHistory = async (
  context: CommandContext,
  given: string | undefined,
  { format, dryRun, yes, state: givenState, fromService, since, resolve }: ImportOptions,
): Promise<CommandResult> => {
  const { say, commandFor, stop } = context;
  if ((given === undefined) !== (fromService === true)) {
    throw new CliError(EXIT.usage, 'Provide either a file or --from-service. See parley import --help.');
  }
  if (since !== undefined && !fromService) throw new CliError(EXIT.usage, '--since needs --from-service.');
  if (given === STANDARD_INPUT && !dryRun && !yes) {
    throw new CliError(EXIT.usage, 'Nothing was imported. Standard input is the history, so add --yes or --dry-run.');
  }
  const file = given ?? FROM_SERVICE;
  const found = given === undefined ? undefined : findEntries(given, await readText(given, context.stdin));
  const target = await context.target();
  const client = await context.api();
  const stage = stageResponse.parse(await client('GET', '/v1/stage'));
  const { chatPlatform, chatChannelNumber, windowPer } = stage;
  const now = await stageTime(context);
  const { chatServiceUrl } = stage;
  const history =
    found ?? (await downloadHistory(context, target, { chatServiceUrl, since: parseSince(since, now), now }));
  const plan = planImport(history, { now, chatPlatform, windowPer, stageNumber: chatChannelNumber, format });
  for (const line of describePlan(file, plan, now)) say(line);
  if (plan.entries === 0) {
    throw new CliError(
      EXIT.usage,
      `${nameOf(file)} has no readable entry, so nothing was imported. See docs/importing.md for the formats.`,
    );
  }

  const call = { call: client, format };
  const forecast = await forecastImport(plan, call, context);
  if (forecast === undefined) throw new CliError(EXIT.interrupted, 'Interrupted. Nothing was imported.');
  for (const line of describeForecast(forecast, plan)) say(line);
  const { existing } = forecast;
  const countWaiting = () => countInbound(target);
  const warned = { plan, call: client, targetName: target.name, chatChannelNumber, existing, countWaiting };
  for (const warning of await findImportWarnings(warned)) say(warning);
  if (dryRun) return summarize(file, plan, forecast, { isDryRun: true });
  const finish = async (counts: ImportCounts): Promise<CommandResult> => {
    const found = await findLikelySends(client);
    if (found === undefined) {
      say(`More than ${MAX_RESOLVED_SENDS} sends are uncertain, so the command does not look for their messages.`);
    }
    const sends = (found ?? []).map((send) => ({ ...send, isResolved: resolve === true }));
    if (resolve) await resolveSends(client, sends);
    return summarize(file, plan, counts, { sends, commandFor });
  };
  if (forecast.added + existing === 0) return finish(forecast);

  // Also what is stored already: an import or a delivery can have been interrupted before it stored a window or a consent.
  if (!yes) {
    const question =
      forecast.added > 0
        ? `Import ${count(forecast.added, 'event')} into ${target.name}?`
        : `No event is missing. Store missing windows and consents of ${count(existing, 'event')} in ${target.name}?`;
    await confirm(context, question, 'Nothing was imported.');
  }
  const isFile = given !== undefined && given !== STANDARD_INPUT;
  const stateFile = givenState ?? (isFile ? importStateFile(given, target.id) : undefined);
  const fresh: ImportState = {
    contentId: plan.contentId,
    target: target.id,
    chunks: 0,
    entries: 0,
    added: 0,
    existing: 0,
    unreadable: plan.unreadable,
  };
  const saved = stateFile === undefined ? undefined : await readImportState(stateFile, fresh);
  // A complete import is repeated: events may have been removed since.
  const start = saved === undefined || saved.entries >= plan.entries ? fresh : saved;
  const state = await importChunks(plan, call, context, { start, stateFile });
  if (stop.aborted && state.entries < plan.entries) {
    const source = given === undefined ? ['--from-service', '--since', quote(since ?? '')] : [quote(given)];
    const options = [...(format ? ['--format', format] : []), ...(givenState ? ['--state', quote(givenState)] : [])];
    const args = [...source, ...options].join(' ');
    const again = commandFor(`parley import ${args}`);
    throw new CliError(
      EXIT.interrupted,
      `Interrupted after ${state.entries} of ${count(plan.entries, 'readable entry', 'readable entries')}. To continue, ` +
        `run ${again}${given === STANDARD_INPUT ? ' with the same history' : ''}.`,
    );
  }
  if (stateFile !== undefined) await removeImportState(stateFile);
  return finish(state);
};

const countInbound = async ({ sqs, addresses }: Target): Promise<number> => {
  const { available, inFlight } = await countMessages(sqs, addresses.inboundQueueUrl);
  return available + inFlight;
};

/** How messages name the history that the service returns. */
const FROM_SERVICE = "The chat service's history";

const describePlan = (file: string, plan: ImportPlan, now: string): readonly string[] => {
  const { events, earliest, latest, users, numbers, entries, repeated } = plan;
  if (earliest === undefined || latest === undefined) return describeRefused(plan.unreadable, plan.noun);
  const kinds = [
    ...(events.message > 0 ? [count(events.message, 'message of users', 'messages of users')] : []),
    ...(events.echo > 0 ? [count(events.echo, 'message of the business', 'messages of the business')] : []),
    ...(events.status > 0 ? [count(events.status, 'status', 'statuses')] : []),
    ...(events.unknown > 0 ? [count(events.unknown, 'event of another kind', 'events of other kinds')] : []),
  ];
  return [
    `${nameOf(file)}: ${count(entries, 'readable entry', 'readable entries')} about ${count(users, 'user')}, with ` +
      `${kinds.join(', ')}.`,
    `From ${describeTime(earliest, now)} to ${describeTime(latest, now)}.`,
    ...(numbers.length > 0 ? [`Business numbers: ${listed(numbers)}.`] : []),
    ...(repeated > 0 ? [`${count(repeated, 'entry repeats', 'entries repeat')} another one.`] : []),
  ];
};

const describeForecast = (forecast: ImportCounts, { noun }: ImportPlan): readonly string[] => [
  `${forecast.added} missing, ${forecast.existing} stored already, ${countUnreadable(forecast)} unreadable.`,
  ...describeRefused(forecast.unreadable, noun),
];

interface Outcome {
  readonly isDryRun?: boolean;
  /** The uncertain sends whose message was found. */
  readonly sends?: readonly (LikelySend & { readonly isResolved: boolean })[];
  readonly commandFor?: CommandContext['commandFor'];
}

const summarize = (
  file: string,
  plan: ImportPlan,
  counts: ImportCounts,
  { isDryRun = false, sends = [], commandFor = (command) => command }: Outcome,
): CommandResult => {
  const unreadable = countUnreadable(counts);
  const { events, users, numbers, earliest, latest, repeated } = plan;
  const added = isDryRun ? `${counts.added} would be stored` : `${counts.added} stored`;
  const ending = isDryRun ? ' (dry run)' : '';
  return {
    lines: [
      `${nameOf(file)}: ${added}, ${counts.existing} stored already, ${unreadable} unreadable${ending}.`,
      ...(counts.added === 0 && counts.existing > 0 ? ['No event is missing.'] : []),
      ...(unreadable > 0 ? describeRefused(counts.unreadable, plan.noun) : []),
      ...sends.map(({ requestId, messageId, createdAt, isResolved }) => {
        if (isResolved)
          return `${requestId} was uncertain, and is now accepted: it is message ${messageId} of ${createdAt}.`;
        const resolve = commandFor(
          `parley sends resolve ${quote(requestId)} --outcome accepted --message-id ${quote(messageId)}`,
        );
        return `${requestId} is uncertain, and probably message ${messageId} of ${createdAt}. To resolve it: ${resolve}`;
      }),
    ],
    json: {
      dryRun: isDryRun,
      events,
      users,
      chatChannelNumbers: numbers,
      earliest,
      latest,
      repeated,
      [isDryRun ? 'missing' : 'stored']: counts.added,
      existing: counts.existing,
      unreadable: counts.unreadable,
      ...(!isDryRun && { sends }),
    },
    exitCode: unreadable > 0 ? EXIT.partial : EXIT.done,
  };
};
