import { CliError } from './cli-error.ts';
import type { CommandCall, OptionDefinition } from './command.ts';
import { EXIT } from './exit-codes.ts';

/** The options that say what is sent, in the same words for one message and for many. */
export const MESSAGE_OPTIONS: readonly OptionDefinition[] = [
  { name: 'text', value: 'TEXT', what: 'the free-form message, or the caption of its media' },
  { name: 'image', value: 'URL', what: 'an image to send, by https address' },
  { name: 'audio', value: 'URL', what: 'an audio file to send' },
  { name: 'file', value: 'URL', what: 'a document to send' },
  { name: 'template', value: 'NAME', what: 'the approved template, or rule' },
  { name: 'param', value: 'NAME=VALUE', what: 'a variable of the template; may be repeated', multiple: true },
  { name: 'reason', value: 'REASON', what: 'why the business writes first, such as shipping-status' },
  { name: 'send-at', value: 'TIME', what: 'do not send before this, up to a year ahead; parley cancel takes it back' },
  { name: 'not-after', value: 'TIME', what: 'do not send later than this, such as 2026-12-24T18:00:00Z' },
  { name: 'on-uncertain', value: 'hold|resend', what: 'what to do when nobody can know whether it went out' },
];

/** The request's fields, apart from id and contact, as the options give them. */
export const messageFields = (
  call: CommandCall,
): Readonly<Record<string, string | Readonly<Record<string, string>>>> => {
  const params = readParams(call.options('param'));
  const fields = {
    messageText: call.option('text'),
    imageURL: call.option('image'),
    audioURL: call.option('audio'),
    fileURL: call.option('file'),
    ruleNameOrId: call.option('template'),
    params: Object.keys(params).length > 0 ? params : undefined,
    reason: call.option('reason'),
    sendAt: call.option('send-at'),
    notAfter: call.option('not-after'),
    onUncertain: call.option('on-uncertain'),
  };
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(given);
};

const readParams = (params: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    params.map((param) => {
      const [name = '', ...value] = param.split('=');
      if (name === '' || value.length === 0) {
        throw new CliError(EXIT.usage, `--param is "${param}" but must be NAME=VALUE, such as --param name=Ana.`);
      }
      return [name, value.join('=')];
    }),
  );
