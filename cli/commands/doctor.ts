import type { CommandDefinition } from '../command.ts';
import { examine, type Finding } from '../doctor/examine.ts';
import { EXIT } from '../exit-codes.ts';

const MARK: Record<Finding['grade'], string> = { well: 'ok  ', look: 'look', ill: 'ILL ' };

export const doctor: CommandDefinition = {
  name: 'doctor',
  what: 'Check settings, grants, queues, token and webhook, and say what to do',
  note: 'It changes nothing. It asks the chat service to check the business’s own number, and posts an unsigned event, which the webhook must refuse. Exit code 6 when something is ill.',
  examples: ['parley doctor --stage prod', 'parley doctor --local --json'],
  async run(call) {
    const surroundings = await call.surroundings();
    const findings = await examine(surroundings, await call.api());
    const lines = findings.map(
      ({ grade, what, remedy }) => `${MARK[grade]}  ${what}${remedy === undefined ? '' : `\n      ${remedy}`}`,
    );
    const ill = findings.filter(({ grade }) => grade === 'ill').length;
    const look = findings.filter(({ grade }) => grade === 'look').length;
    const end = ill + look === 0 ? 'All is well' : `${ill} ill, ${look} to look at`;
    return {
      text: [...lines, `${end}: ${surroundings.place}.`].join('\n'),
      json: { place: surroundings.place, findings },
      exitCode: ill > 0 ? EXIT.partly : EXIT.done,
    };
  },
};
