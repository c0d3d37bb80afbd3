import { readFileSync } from 'node:fs';

/** A section of docs/runbook.md about an alarm. */
export interface RunbookSection {
  /** The alarm's id, such as `SendDeadLetters`. */
  readonly alarm: string;
  /** The commands in the order of the page, without the options that select the target. */
  readonly commands: readonly string[];
}

const PAGE = new URL('../../docs/runbook.md', import.meta.url);
const TARGET = ' --stage prod';

/** Reads the sections about alarms: the headings of the third level, and the commands in their shell blocks. */
export const readRunbook = (page: string = readFileSync(PAGE, 'utf8')): readonly RunbookSection[] =>
  page
    .split(/^### /m)
    .slice(1)
    .map((section) => {
      const [heading = ''] = section.split('\n');
      const [body = ''] = section.split(/^## /m);
      const blocks = [...body.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands = '']) => commands);
      return {
        alarm: heading,
        commands: blocks.flatMap((block) => block.split('\n').filter(Boolean)).map(withoutTarget),
      };
    });

/** @throws Error if a command does not name its target as all others do */
const withoutTarget = (command: string): string => {
  if (!command.startsWith('parley ') || !command.endsWith(TARGET)) {
    throw new Error(`The runbook's command must be parley ...${TARGET}: ${command}`);
  }
  return command.slice('parley '.length, -TARGET.length);
};
