import { Argument, Command } from '@commander-js/extra-typings';
import type { z } from 'zod';
import { type auditEntryResponse, auditResponse } from '../../lambdas/manage/api/audit.ts';
import { type CreateCommand, channelOption, examples, nextPage } from '../base/command.ts';
import { describeTime } from '../base/human-time.ts';
import { nameUser } from '../base/named-user.ts';
import { queryFrom } from '../base/request-fields.ts';
import { stageTime } from '../base/stage-time.ts';

const SOURCES = {
  platformContactId: '[contact]',
  customerId: 'customer',
  chatChannelNumber: 'channel',
  since: 'since',
  until: 'until',
  limit: 'limit',
  cursor: 'cursor',
} as const;

export const createAuditTrailCommand: CreateCommand = (context) =>
  new Command('audit-trail')
    .description(
      'Show who requested which action, newest first.\n\n' +
        'Lists consents, erasures, cancellations, resolutions, redrives, deletions of dead letters, and changes of ' +
        'the access token. Parley records each action before it performs it.',
    )
    .addArgument(new Argument('[contact]', 'Only entries about this contact, such as +5491150000001'))
    .option('--customer <id>', 'Only entries about the addresses of this customer')
    .addOption(channelOption())
    .option('--since <time>', 'Only entries at or after this time, such as 2026-11-20T00:00:00Z')
    .option('--until <time>', 'Only entries at or before this time')
    .option('--limit <n>', 'Entries to show, up to 500 (default: 100)')
    .option('--cursor <cursor>', 'Show the next page')
    .addHelpText(
      'after',
      examples(
        'parley audit-trail --since 2026-11-20T00:00:00Z --stage prod',
        'parley audit-trail +5491150000001 --stage prod',
        'parley audit-trail --customer 5f0c9a52 --stage prod',
      ),
    )
    .action(async (contact, options) => {
      const { customer } = options;
      if (contact !== undefined && customer !== undefined) nameUser(contact, customer);
      const query = queryFrom({ ...options, '[contact]': contact }, SOURCES);
      const call = await context.api(SOURCES);
      const page = auditResponse.parse(await call('GET', `/v1/audit?${query}`));
      const now = await stageTime(context);
      const lines =
        page.entries.length > 0
          ? page.entries.map((entry) => describeEntry(entry, now))
          : ['The audit trail has no such entries.'];
      const words = ['audit-trail', ...(contact === undefined ? [] : [contact])];
      const next = nextPage(context.commandFor, words, { ...options, cursor: page.cursor });
      context.report({ lines: [...lines, ...next], json: page });
    });

/** Describes an entry in one line. Puts text that others wrote in quotation marks. */
const describeEntry = (entry: z.output<typeof auditEntryResponse>, now: string): string => {
  const { at, action, caller, auditId: _auditId, callerId: _callerId, contact, platformContactId, ...details } = entry;
  const described = Object.entries(details).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${JSON.stringify(value)}`],
  );
  const address = platformContactId ?? contact?.key;
  const whom = address === undefined ? [] : [`contact ${JSON.stringify(address)}`];
  return [describeTime(at, now), action, `by ${caller}`, [...whom, ...described].join(', ')].join('  ').trimEnd();
};
