import { describe, expect, test } from 'vitest';
import { createProgram } from '../../../../cli/program.ts';
import { readRunbook } from '../../../support/runbook.ts';
import { STAGE_VARIANTS } from '../rules/stage-variants.ts';
import { synthesizedStack } from '../synthesized-stack.ts';

const ALARM = 'AWS::CloudWatch::Alarm';
const LINK = / Runbook: (.*)#(.*)$/;

const sections = readRunbook();

/** Returns the ids of the alarms that any stage can have, by the description of each. */
const alarms = (): ReadonlyMap<string, string> =>
  new Map(
    STAGE_VARIANTS.flatMap(({ stage, settings, share }) =>
      Object.entries(synthesizedStack(stage, settings, { share }).template.findResources(ALARM)).map(
        ([logicalId, { Properties }]): [string, string] => [
          logicalId.replace(/^Monitoring(.*)[0-9A-F]{8}$/, '$1'),
          Properties.AlarmDescription,
        ],
      ),
    ),
  );

/** Parses a command line as `parley` does. Returns the name of the command, which is not run. */
const parse = async (line: string): Promise<string> => {
  const args = line.split(' ');
  const reached: string[] = [];
  const unused = () => {
    throw new Error('The command must not run.');
  };
  const program = createProgram(
    {
      target: unused,
      api: unused,
      commandFor: unused,
      report: unused,
      say: unused,
      stdin: process.stdin,
      progressTerminal: undefined,
      stop: new AbortController().signal,
    },
    { args, print: () => undefined },
  );
  // Runs after the command line was parsed completely, and in place of the command.
  program.hook('preAction', (_program, command) => {
    reached.push(command.name());
    throw new Error('parsed');
  });
  await expect(program.parseAsync(args, { from: 'user' })).rejects.toThrow('parsed');
  return reached.join();
};

describe('The runbook', () => {
  test('has a section for every alarm that a stage can have, and for nothing else', () => {
    expect(sections.map(({ alarm }) => alarm).toSorted()).toEqual([...alarms().keys()].toSorted());
    expect(sections.length).toBe(43);
  });

  test('is linked from the description of every alarm, which says what the alarm means first', () => {
    for (const [alarm, description] of alarms()) {
      expect(description, alarm).toMatch(/^[A-Z].{20,}\. Runbook: /);
      const [, page, fragment] = LINK.exec(description) ?? [];
      expect(['docs/runbook.md', 'https://git.example/parley/runbook.md'], alarm).toContain(page);
      expect(fragment).toBe(alarm.toLowerCase());
      // The limit of CloudWatch.
      expect(description.length).toBeLessThanOrEqual(1024);
    }
  });

  test.each(sections)('has commands for $alarm, and each is one that parley understands', async ({ commands }) => {
    expect(commands).not.toEqual([]);
    for (const command of commands) {
      expect(await parse(command)).not.toBe('');
      expect(await parse(`${command} --local`)).not.toBe('');
    }
  });

  test('would notice a command that parley does not understand', async () => {
    await expect(parse('dead-letters redrive nothing')).rejects.toThrow();
    await expect(parse('doctor --force')).rejects.toThrow();
  });

  test('would notice a section whose alarm has another name', () => {
    expect(readRunbook('## Sending\n\n### Renamed\n\n```sh\nparley doctor --stage prod\n```\n\n## Other\n')).toEqual([
      { alarm: 'Renamed', commands: ['doctor'] },
    ]);
    expect(() => readRunbook('### Other\n\n```sh\naws sqs purge-queue\n```\n')).toThrow('must be parley');
  });
});
