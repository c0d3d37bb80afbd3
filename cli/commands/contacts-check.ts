import { checkResponse } from '../../lambdas/manage/responses.ts';
import { CliError } from '../cli-error.ts';
import type { CommandDefinition } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { readText } from '../read-text.ts';

/** What one call of the management API checks within its time, however slow the chat service is. */
const PER_CALL = 200;

export const checkContacts: CommandDefinition = {
  name: 'contacts check',
  what: 'Ask the chat service which numbers are on the platform, and remember the answer',
  positionals: [{ name: 'FILE', what: 'numbers, one a line; of a CSV its first column; - for standard input' }],
  examples: ['parley contacts check numbers.txt --stage prod', 'echo +5491150000001 | parley contacts check - --local'],
  async run(call) {
    const file = call.positional('FILE');
    const numbers = numbersIn(await readText(file, call));
    if (numbers.length === 0) {
      throw new CliError(EXIT.usage, `${file} holds no number; put one a line, such as +5491150000001.`);
    }
    const api = await call.api();
    const contacts = [];
    for (let start = 0; start < numbers.length; start += PER_CALL) {
      const body = { contacts: numbers.slice(start, start + PER_CALL) };
      contacts.push(...checkResponse.parse(await api('POST', '/v1/contact-checks', body)).contacts);
      if (numbers.length > PER_CALL) call.say(`${contacts.length} of ${numbers.length} numbers checked`);
    }
    const found = contacts.filter(({ onPlatform }) => onPlatform).length;
    const lines = contacts.map(
      ({ contact, onPlatform, platformContactId }) =>
        `${contact}  ${onPlatform ? `on the platform as ${platformContactId}` : 'not on the platform'}`,
    );
    return { text: [...lines, `${found} of ${contacts.length} are on the platform.`].join('\n'), json: { contacts } };
  },
};

const numbersIn = (text: string): string[] => {
  const firsts = text.split(/\r?\n/).map(
    (line) =>
      line
        .split(/[,;\t]/)[0]
        ?.trim()
        .replace(/^"(.*)"$/, '$1') ?? '',
  );
  // A CSV's heading has no digit; a contact's id always has one.
  return [...new Set(firsts.filter((first, index) => first !== '' && (index > 0 || /\d/.test(first))))];
};
