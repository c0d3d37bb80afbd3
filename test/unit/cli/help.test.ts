import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { paceOf } from '../../../cli/broadcast/progress.ts';
import { readCommandLine } from '../../../cli/command-line.ts';
import { COMMANDS } from '../../../cli/commands.ts';
import { overview, usage } from '../../../cli/help.ts';

describe('the help', () => {
  it('names every command and the exit codes', () => {
    for (const { name, what } of COMMANDS) expect(overview(COMMANDS)).toContain(`${name.padEnd(22)}  ${what}`);
    expect(overview(COMMANDS)).toContain('130 stopped by Ctrl-C');
  });

  it.each(COMMANDS.map((command) => [command.name, command] as const))(
    'of %s shows an example that the command takes',
    (name, command) => {
      expect(usage(command)).toContain(`parley ${name}`);
      for (const example of command.examples) {
        const [, line = ''] = /parley ((?:[^|<"]|"[^"]*")*)/.exec(example) ?? [];
        const args = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
        expect(readCommandLine(args, COMMANDS).command.name).toBe(name);
      }
    },
  );

  it('is found wherever a stage is named', () => {
    expect(readCommandLine(['--stage', 'prod', 'status', 'x'], COMMANDS)).toMatchObject({
      command: { name: 'status' },
      positionals: ['x'],
      values: { stage: 'prod' },
    });
  });

  it('is printed by the launcher, whatever the machine’s Node.js is', () => {
    const launcher = join(import.meta.dirname, '../../../cli/parley.js');
    const env = { ...process.env, PATH: '/usr/local/bin:/usr/bin:/bin' };
    expect(execFileSync(launcher, ['status', '--help'], { env }).toString()).toContain('parley status REQUEST');
  });
});

describe('the pace of a broadcast', () => {
  it('tells the rate since it was started, and the time left', () => {
    expect(paceOf(4000, 6000, 5000)).toBe('800 rows/s, 0:08 left');
    expect(paceOf(100, 59_900, 1000)).toBe('100 rows/s, 9:59 left');
    expect(paceOf(0, 10, 0)).toBe('');
  });
});
