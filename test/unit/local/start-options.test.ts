import { describe, expect, it } from 'vitest';
import { HELP, readStartOptions } from '../../../local/start-options.ts';

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
