import { buffer } from 'node:stream/consumers';
import { Command, Option } from '@commander-js/extra-typings';
import { CONSENT_ORIGINS, type ConsentKind, DEFAULT_ORIGIN } from '../../lambdas/domain/consent.ts';
import { checkedNumber, contactCheckResponse } from '../../lambdas/manage/api/contact-checks.ts';
import { type ContactResponse, contactResponse } from '../../lambdas/manage/api/contacts.ts';
import { type CommandContext, type CreateCommand, channelOption, contactArgument, examples } from '../base/command.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { fieldsFrom } from '../base/request-fields.ts';
import { decodeText, readTextFile } from '../base/text-file.ts';

/** How many numbers one call can check within the timeout of the management API, even if the chat service is slow. */
const NUMBERS_PER_CALL = 200;

/** Creates `contacts check`. */
export const createContactsCommand: CreateCommand = (context) =>
  new Command('contacts')
    .description('Check numbers, and list the addresses of a customer.')
    .addCommand(createCheckCommand(context));

const createCheckCommand = ({ api, report, say, stdin }: CommandContext) =>
  new Command('check')
    .description('Check which numbers are on the platform.\n\nParley asks the chat service and stores the answers.')
    .argument('<file>', 'File with one number per line, or CSV with numbers in the first column; - for standard input')
    .addOption(channelOption())
    .addHelpText(
      'after',
      examples(
        'parley contacts check numbers.txt --stage prod',
        'echo +5491150000001 | parley contacts check - --local',
      ),
    )
    .action(async (file, { channel: chatChannelNumber }) => {
      const source = file === '-' ? 'Standard input' : file;
      const given = parseNumbers(file === '-' ? decodeText(await buffer(stdin)).text : (await readTextFile(file)).text);
      const numbers = [...given.keys()];
      if (numbers.length === 0) {
        throw new CliError(EXIT.usage, `${source} has no numbers. Put one on each line, such as +5491150000001.`);
      }
      refuseOthers(source, given);
      const call = await api({ chatChannelNumber: 'channel' });
      const contacts = [];
      for (let left = numbers; left.length > 0; ) {
        const body = { contacts: left.slice(0, NUMBERS_PER_CALL), chatChannelNumber };
        const checked = contactCheckResponse.parse(await call('POST', '/v1/contact-checks', body));
        contacts.push(...checked.contacts);
        left = [...(checked.notChecked ?? []), ...left.slice(NUMBERS_PER_CALL)];
        if (numbers.length > NUMBERS_PER_CALL) say(`${contacts.length} of ${numbers.length} numbers checked`);
      }
      const found = contacts.filter(({ onPlatform }) => onPlatform).length;
      const lines = contacts.map(
        ({ contact, onPlatform, platformContactId }) =>
          `${contact}  ${onPlatform ? `on the platform as ${platformContactId}` : 'not on the platform'}`,
      );
      report({ lines: [...lines, `On the platform: ${found} of ${contacts.length}.`], json: { contacts } });
    });

/** Returns the numbers of a file, each with its first line. */
const parseNumbers = (text: string): ReadonlyMap<string, number> => {
  const lines = new Map<string, number>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [value = ''] = line.split(/[,;\t]/);
    const number = value.trim().replace(/^"(.*)"$/, '$1');
    // The header of a CSV has no digits; a contact id always has one.
    const isHeader = index === 0 && !/\d/.test(number);
    if (number !== '' && !isHeader && !lines.has(number)) lines.set(number, index + 1);
  }
  return lines;
};

const MAX_FAULTS = 5;

/** @throws CliError that names the lines that are not phone numbers, before any number is checked */
const refuseOthers = (source: string, numbers: ReadonlyMap<string, number>): void => {
  const faults = [...numbers].flatMap(([number, line]) => {
    const fault = checkedNumber.safeParse(number).error?.issues[0]?.message;
    return fault === undefined ? [] : [`line ${line}: ${JSON.stringify(number.slice(0, 40))} ${fault}`];
  });
  if (faults.length === 0) return;
  const rest = faults.length > MAX_FAULTS ? `; and ${faults.length - MAX_FAULTS} more` : '';
  const listed = faults.slice(0, MAX_FAULTS).join('; ');
  throw new CliError(EXIT.usage, `${source}, ${listed}${rest}. Fix the lines and run the command again.`);
};

interface ConsentWords {
  readonly summary: string;
  readonly rule: string;
  readonly source: string;
}

const CONTACT_SOURCES = { platformContactId: '<contact>', chatChannelNumber: 'channel' } as const;
const CONSENT_SOURCES = { ...CONTACT_SOURCES, source: 'source', origin: 'origin', at: 'at' } as const;
const HANDOVER_SOURCES = { ...CONTACT_SOURCES, note: 'note' } as const;

const createConsentCommand = (
  { api, report }: CommandContext,
  name: ConsentKind,
  { summary, rule, source: exampleSource }: ConsentWords,
) =>
  new Command(name)
    .description(
      `${summary}.\n\n${rule} Only the latest ${name} of a contact and an origin is kept, so you can safely repeat ` +
        'the command.',
    )
    .addArgument(contactArgument())
    .addOption(channelOption())
    .requiredOption('--source <text>', 'Where the consent came from, such as a form; stored as evidence')
    .addOption(
      new Option(
        '--origin <origin>',
        `Who gave it: the user, or an imported list (default: ${DEFAULT_ORIGIN[name]})`,
      ).choices(CONSENT_ORIGINS),
    )
    .option('--at <time>', `Time of the ${name}, such as 2026-11-20T12:00:00Z (default: now)`)
    .addHelpText(
      'after',
      examples(`parley ${name} +5491150000001 --origin user --source "${exampleSource}" --stage prod`),
    )
    .action(async (platformContactId, options) => {
      const { origin } = options;
      const call = await api(CONSENT_SOURCES);
      const body = fieldsFrom({ ...options, '<contact>': platformContactId }, CONSENT_SOURCES);
      const contact = contactResponse.parse(await call('POST', `/v1/${name}s`, body));
      const recorded = contact.consents.find(
        (consent) => consent.kind === name && consent.origin === (origin ?? DEFAULT_ORIGIN[name]),
      );
      const lines = [
        `${contact.platformContactId}: ${name}${recorded ? describeEvidence(recorded) : ''}.`,
        `Effective consent: ${describeConsent(contact.consent)}.`,
      ];
      report({ lines, json: contact });
    });

type Evidence = Pick<ContactResponse['consent'], 'at' | 'origin' | 'source'>;

const describeEvidence = ({ at, origin, source }: Evidence): string =>
  ` at ${at} (origin: ${origin}, source: ${source})`;

/** Describes the effective consent, such as `opted out at 2026-11-20T12:00:00.000Z (origin: user, source: call)`. */
export const describeConsent = ({ state, ...evidence }: ContactResponse['consent']): string =>
  state === 'none' ? 'no opt-in or opt-out' : `${state.replace('-', ' ')}${describeEvidence(evidence)}`;

export const createOptInCommand: CreateCommand = (context) =>
  createConsentCommand(context, 'opt-in', {
    summary: 'Record that a user agreed to receive messages',
    rule: "An import never overrides the user's own opt-out; only the user's own later opt-in does.",
    source: 'registration form',
  });

export const createOptOutCommand: CreateCommand = (context) =>
  createConsentCommand(context, 'opt-out', {
    summary: 'Record that a user does not want messages',
    rule: "The user's own opt-out stands until the user's own later opt-in.",
    source: 'phone call',
  });

interface HandoverWords {
  readonly name: 'handover' | 'handback';
  readonly summary: string;
  readonly rule: string;
}

const createHandoverOrBackCommand = ({ api, report }: CommandContext, { name, summary, rule }: HandoverWords) =>
  new Command(name)
    .description(`${summary}.\n\n${rule}`)
    .addArgument(contactArgument())
    .addOption(channelOption())
    .option('--note <text>', 'Why, for the audit trail; numbers are masked')
    .addHelpText('after', examples(`parley ${name} +5491150000001 --stage prod`))
    .action(async (platformContactId, options) => {
      const call = await api(HANDOVER_SOURCES);
      const body = fieldsFrom({ ...options, '<contact>': platformContactId }, HANDOVER_SOURCES);
      const contact = contactResponse.parse(await call('POST', `/v1/${name}s`, body));
      report({ lines: [`${contact.platformContactId}: ${describeHandover(contact.handover)}.`], json: contact });
    });

/** Describes who answers a contact, such as `people have been answering since 2026-11-20T12:00:00.000Z`. */
export const describeHandover = (handover: ContactResponse['handover']): string => {
  if (handover?.state !== 'people') return 'automated systems answer';
  const until = handover.until === undefined ? '' : `, until ${handover.until}`;
  return `people have been answering since ${handover.since}${until}`;
};

export const createHandoverCommand: CreateCommand = (context) =>
  createHandoverOrBackCommand(context, {
    name: 'handover',
    summary: 'Hand a contact over to people',
    rule: 'Parley refuses automated requests for the contact until it is handed back. Other requests are sent.',
  });

export const createHandbackCommand: CreateCommand = (context) =>
  createHandoverOrBackCommand(context, {
    name: 'handback',
    summary: 'Hand a contact back to automated systems',
    rule: "This also ends a handover by an operator's message.",
  });
