import { Command, Option } from '@commander-js/extra-typings';
import { channelOption } from './command.ts';
import { CliError, EXIT } from './errors.ts';

const collect = (value: string, previous: readonly string[] = []): readonly string[] => [...previous, value];

/** Creates a command with the options that describe a message. */
export const createMessageCommand = (name: string) =>
  new Command(name)
    .option('--text <text>', 'Free-form message, or the caption of its media')
    .option('--image <url>', 'Image to send')
    .option('--audio <url>', 'Audio file to send')
    .option('--file <url>', 'Document to send')
    .option('--template <name>', 'Approved template, or rule')
    .option('--param <name=value>', 'Template variable (repeatable)', collect)
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
export type MessageFields = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** Converts the options to the fields of a send request, except for its id and contact. */
export const messageFields = (options: MessageOptions): MessageFields => {
  const fields = {
    messageText: options.text,
    imageURL: options.image,
    audioURL: options.audio,
    fileURL: options.file,
    ruleNameOrId: options.template,
    params: options.param && parseParams(options.param),
    reason: options.reason,
    chatChannelNumber: options.channel,
    sendAt: options.sendAt,
    notAfter: options.notAfter,
    onUncertain: options.onUncertain,
  };
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(given);
};

const parseParams = (params: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    params.map((param) => {
      const [name = '', ...value] = param.split('=');
      if (name === '' || value.length === 0) {
        throw new CliError(EXIT.usage, `--param ${param} is invalid. Use name=value, such as --param name=Ana.`);
      }
      return [name, value.join('=')];
    }),
  );
