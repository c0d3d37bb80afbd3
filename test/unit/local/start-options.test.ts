import { describe, expect, it } from 'vitest';
import { HELP, readStartOptions } from '../../../local/start-options.ts';

describe('--port', () => {
  it.each([
    ['4000', 4000],
    ['0', 0],
    ['65527', 65_527],
  ])('is the port of the console: %s', (given, port) => {
    expect(readStartOptions(['--port', given], {}).port).toBe(port);
  });

  it('is undefined unless it is given', () => {
    expect(readStartOptions([], { PARLEY_PORT: '4000' }).port).toBeUndefined();
  });

  it.each(['65528', '-1', '4000.5', 'any', ''])('leaves ports for the other servers, so %j is refused', (given) => {
    expect(() => readStartOptions([`--port=${given}`], {})).toThrow(
      `--port is "${given}" but must be a port number from 0 (any free ports) to 65527.`,
    );
  });
});

describe('--event-format', () => {
  it.each(['uppercase', 'camelCase', 'v1.1'])('selects how the sandbox writes events: %s', (eventFormat) => {
    expect(readStartOptions(['--event-format', eventFormat], {})).toMatchObject({ eventFormat });
    expect(HELP).toContain(eventFormat);
  });

  it("leaves the sandbox's default unless it is given", () => {
    expect(readStartOptions([], {}).eventFormat).toBeUndefined();
  });

  it.each([
    [['--event-format', 'v2'], '--event-format is "v2" but must be uppercase, camelCase, v1.1.'],
    [
      ['--event-format', 'v1.1', '--chat-service-url', 'https://chat-service.example'],
      '--event-format is for the sandbox, which --chat-service-url replaces. Pass one of them.',
    ],
  ])('refuses %j', (args, sentence) => {
    expect(() => readStartOptions(args, {})).toThrow(sentence);
  });
});
