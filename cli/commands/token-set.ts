import { text } from 'node:stream/consumers';
import { PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { CliError } from '../cli-error.ts';
import type { CommandDefinition } from '../command.ts';
import { EXIT } from '../exit-codes.ts';

export const tokenSet: CommandDefinition = {
  name: 'token set',
  what: 'Put the chat service’s access token into its secret, from standard input',
  note: 'Never an argument: those stand in the shell’s history and in the list of processes. Running functions take it up at the next refusal of the old one.',
  examples: [
    'parley token set --stage prod < token.txt',
    'pass show chat-service/token | parley token set --stage prod',
  ],
  async run(call) {
    if (call.stdin.isTTY) {
      throw new CliError(
        EXIT.usage,
        'The token comes by standard input, such as parley token set --stage prod < token.txt.',
      );
    }
    const token = (await text(call.stdin)).trim();
    if (!/^[\x21-\x7e]{8,4096}$/.test(token)) {
      throw new CliError(
        EXIT.usage,
        'Standard input holds no access token: it must be one word of 8 to 4096 characters, as the chat service’s console shows it.',
      );
    }
    const { secretsManager, addresses, place } = await call.surroundings();
    await secretsManager.send(
      new PutSecretValueCommand({ SecretId: addresses.accessTokenSecretId, SecretString: token }),
    );
    return { text: `The access token of ${place} is replaced.`, json: { secretId: addresses.accessTokenSecretId } };
  },
};
