import { SEND_CONDITIONS } from '../../lambdas/domain/send-request.ts';
import { quote } from '../base/command.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { createMessageCommand, MESSAGE_SOURCES } from '../base/message-options.ts';

/** Creates a command with the options that describe a message to one contact. */
export const createOneMessageCommand = (name: string) =>
  createMessageCommand(name)
    .option('--automated', 'A bot sends it: refuse it while people answer the contact')
    .option(
      '--unless <conditions>',
      `Refuse it if this happened since: ${SEND_CONDITIONS.join(' or ')}, or both with a comma`,
      conditions,
    )
    .option(
      '--since <time|id>',
      'For --unless: the ID of the message that you answer, or a time such as 2026-12-24T18:00:00Z',
    );

const conditions = (list: string): readonly string[] => {
  const given = list.split(',').map((condition) => condition.trim());
  if (given.every((condition) => SEND_CONDITIONS.some((known) => known === condition))) return given;
  throw new CliError(
    EXIT.usage,
    `--unless ${quote(list)} is invalid. Use ${SEND_CONDITIONS.join(' or ')}, or both with a comma between them.`,
  );
};

type OneMessageOptions = ReturnType<ReturnType<typeof createOneMessageCommand>['opts']>;

/** What fills the fields of a send request to one contact, except for its id and contact. */
export const ONE_MESSAGE_SOURCES = {
  ...MESSAGE_SOURCES,
  automated: 'automated',
  unless: 'unless',
  since: 'since',
} as const satisfies Readonly<Record<string, keyof OneMessageOptions>>;

/** @throws CliError if only one of `--unless` and `--since` is given */
export const checkConditions = ({ unless, since }: OneMessageOptions): void => {
  if (unless !== undefined && !since) {
    throw new CliError(
      EXIT.usage,
      '--unless needs --since: add the ID of the message that you answer, or a time such as 2026-12-24T18:00:00Z.',
    );
  }
  if (since !== undefined && unless === undefined) {
    throw new CliError(EXIT.usage, `--since needs --unless: add --unless ${SEND_CONDITIONS[0]}, or remove --since.`);
  }
};
