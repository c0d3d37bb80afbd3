import { describe, expect, it } from 'vitest';
import { readChaosOptions } from './chaos-options.ts';

const read = (...args: readonly string[]) => readChaosOptions(args, () => 0.5);

describe('the options of npm run chaos', () => {
  it('default to ten minutes with 50 events and 20 sends a second, and a random seed', () => {
    expect(read()).toEqual({ minutes: 10, eventsPerSecond: 50, sendsPerSecond: 20, seed: 1_073_741_823 });
  });

  it('are read from the command line', () => {
    const options = read('--minutes', '0.5', '--events', '8', '--sends', '3', '--seed', '7');
    expect(options).toEqual({ minutes: 0.5, eventsPerSecond: 8, sendsPerSecond: 3, seed: 7 });
  });

  it('ask for help', () => {
    expect(read('--help')).toBeUndefined();
  });

  it.each([
    [['--minutes', 'long'], '--minutes is "long" but must be a number greater than 0 and at most 120.'],
    [['--events', '0'], '--events is "0" but must be a number greater than 0 and at most 1000.'],
    [['--sends', ''], '--sends is "" but must be a number greater than 0 and at most 1000.'],
    [['--seed', '1.5'], '--seed is "1.5" but must be an integer from 0 to 2147483647.'],
    [['--seed', ''], '--seed is "" but must be an integer from 0 to 2147483647.'],
    [['--speed', '1'], 'Unknown option \'--speed\'. Run "npm run chaos -- --help" for usage.'],
  ])('are refused with a sentence: %j', (args, sentence) => {
    expect(() => read(...args)).toThrow(sentence);
  });
});
