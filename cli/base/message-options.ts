import { Command, Option } from '@commander-js/extra-typings';
import { channelOption } from './command.ts';
import { CliError, EXIT } from './errors.ts';
import { fieldsFrom } from './request-fields.ts';

type Params = Readonly<Record<string, string>>;

const addParam = (param: string, others: Params = {}): Params => {
  const [name = '', ...value] = param.split('=');
  if (name === '' || value.length === 0) {
    throw new CliError(EXIT.usage, `--param ${param} is invalid. Use name=value, such as --param name=Ana.`);
  }
  return { ...others, [name]: value.join('=') };
};

/** Creates a command with the options that describe a message. */
export const createMessageCommand = (name: string) =>
  new Command(name)
    .option('--text <text>', 'Free-form message, or the caption of its media')
    .option('--image <url>', 'Image to send')
    .option('--audio <url>', 'Audio file to send')
    .option('--file <url>', 'Document to send')
    .option('--template <name>', 'Approved template, or rule')
    .option('--param <name=value>', 'Template variable (repeatable)', addParam)
    .option('--reason <reason>', 'Why the business writes first, such as shipping-status')
    .addOption(channelOption())
    .option('--send-at <time>', 'Send no earlier than this, up to a year ahead')
    .option('--not-after <time>', 'Send no later than this, such as 2026-12-24T18:00:00Z or PT10M')
    .addOption(
      new Option(
        '--on-uncertain <action>',
        'If the outcome is unknown: hold for your decision (default), or resend',
      ).choices(['hold', 'resend']),
    );

type MessageOptions = ReturnType<ReturnType<typeof createMessageCommand>['opts']>;

/** The fields of a send request that describe the message. */
export type MessageFields = Readonly<Record<string, string | Params>>;

/** What fills the fields of a send request, except for its id and contact. */
export const MESSAGE_SOURCES = {
  messageText: 'text',
  imageURL: 'image',
  audioURL: 'audio',
  fileURL: 'file',
  ruleNameOrId: 'template',
  params: 'param',
  reason: 'reason',
  chatChannelNumber: 'channel',
  sendAt: 'sendAt',
  notAfter: 'notAfter',
  onUncertain: 'onUncertain',
} as const satisfies Readonly<Record<string, keyof MessageOptions>>;

/** Converts the options to the fields of a send request, except for its id and contact. */
export const messageFields = (options: MessageOptions): MessageFields => fieldsFrom(options, MESSAGE_SOURCES);
