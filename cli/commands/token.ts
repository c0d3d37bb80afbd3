import { buffer } from 'node:stream/consumers';
import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { Command } from '@commander-js/extra-typings';
import { accessTokenExpiry } from '../../lambdas/domain/access-token.ts';
import { type CommandContext, type CommandResult, type CreateCommand, examples } from '../base/command.ts';
import { CliError, EXIT, explainError } from '../base/errors.ts';
import { describeExpiry } from '../base/human-time.ts';
import { decodeText } from '../base/text-file.ts';
import { checkToken, isChannelInvalid, isTokenRefused } from '../operations/check-token.ts';
import { recordAct } from '../operations/record-act.ts';

/** Does not repeat the token, which would end up in logs. */
export const TOKEN_AS_ARGUMENT = 'Provide the token on standard input, not as an argument.';

/** Creates `token set`. */
export const createTokenCommand: CreateCommand = (context) =>
  new Command('token').description('Manage the access token.').addCommand(createSetCommand(context));

const createSetCommand = (context: CommandContext) => {
  const { target, api, report, stdin } = context;
  return (
    new Command('set')
      // Its own error message does not repeat a token that was given as an argument.
      .allowExcessArguments()
      .description(
        "Replace the chat service's access token.\n\n" +
          'The command reads the new token from standard input, because arguments end up in the shell history and the ' +
          'process list. ' +
          'Running functions read the new token when the chat service rejects the old one. ' +
          'Finally, the command asks the chat service whether it accepts the new token.',
      )
      .addHelpText(
        'after',
        examples(
          'parley token set --stage prod < token.txt',
          'pass show chat-service/token | parley token set --stage prod',
        ),
      )
      .action(async (_options, { args }) => {
        if (stdin.isTTY || args.length > 0) {
          throw new CliError(EXIT.usage, `${TOKEN_AS_ARGUMENT} See parley token set --help.`);
        }
        const token = decodeText(await buffer(stdin)).text.trim();
        if (!/^[\x21-\x7e]{8,4096}$/.test(token)) {
          throw new CliError(
            EXIT.usage,
            'No valid access token on standard input. ' +
              "Provide 8 to 4096 characters without spaces, as shown in the chat service's console.",
          );
        }
        const { secretsManager, addresses, name } = await target();
        const secretId = addresses.accessTokenSecretId;
        await recordAct(await api(), { action: 'access-token-change' });
        await secretsManager.send(new PutSecretValueCommand({ SecretId: secretId, SecretString: token }));
        report(await probe(context, name, secretId, describeToken(token)));
      })
  );
};

/** Checks the stored token at once, because sends would show only later that it is wrong. */
const probe = async (
  { api, commandFor }: CommandContext,
  name: string,
  secretId: string,
  described: string,
): Promise<CommandResult> => {
  const replaced = `Access token replaced for ${name}.${described}`;
  try {
    await checkToken(await api());
    const lines = [replaced, 'The chat service accepts it.'];
    return { lines, json: { secretId, check: 'accepted' } };
  } catch (error) {
    const { message } = explainError(error);
    if (isChannelInvalid(error)) {
      return {
        lines: [replaced, "The chat service accepts it, but not for the stage's chatChannelNumber.", message],
        json: { secretId, check: 'other-channel', message },
        exitCode: EXIT.partial,
      };
    }
    const isRefused = isTokenRefused(error);
    const advice = isRefused
      ? `The chat service refuses it: copy the token from its console and set it with ${commandFor('parley token set')}.`
      : `Whether the chat service accepts it is unknown. Check it again with ${commandFor('parley doctor')}.`;
    return {
      lines: [replaced, advice, message],
      json: { secretId, check: isRefused ? 'refused' : 'unknown', message },
      exitCode: EXIT.partial,
    };
  }
};

/** A token that is a JSON Web Token can say when it expires. */
const describeToken = (token: string): string => {
  const expiresAt = accessTokenExpiry(token);
  return expiresAt === undefined ? '' : ` It expires on ${describeExpiry(expiresAt, new Date().toISOString())}.`;
};
