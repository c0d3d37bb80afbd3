import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLatestAnswer } from '../../../../sandbox/console/page/state/latest-answer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Calls that end when the test says so. */
const aCall = () => {
  const answers = new Map<string, (answer: string) => void>();
  const call = vi.fn((question: string) => new Promise<string>((resolve) => answers.set(question, resolve)));
  const shown: string[] = [];
  const asker = createLatestAnswer(call, (question, answer: string) => shown.push(`${question}: ${answer}`), 250);
  const answer = async (question: string) => {
    answers.get(question)?.('yes');
    await vi.advanceTimersByTimeAsync(0);
  };
  return { asker, call, shown, answer };
};

it('asks once a question has not changed for a while', async () => {
  const { asker, call, shown, answer } = aCall();

  asker.ask('a');
  await vi.advanceTimersByTimeAsync(249);
  asker.ask('ab');
  await vi.advanceTimersByTimeAsync(249);
  expect(call).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await answer('ab');

  expect(call.mock.calls).toEqual([['ab']]);
  expect(shown).toEqual(['ab: yes']);
});

it('drops the answer to an earlier question, and asks the latest one after it', async () => {
  const { asker, call, shown, answer } = aCall();
  asker.ask('a');
  await vi.advanceTimersByTimeAsync(250);
  asker.ask('b');
  asker.ask('c');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(call.mock.calls).toEqual([['a']]);

  await answer('a');
  expect(call.mock.calls).toEqual([['a'], ['c']]);
  await answer('c');

  expect(shown).toEqual(['c: yes']);
});

it('waits for the pause of a question that changed during a call', async () => {
  const { asker, call, answer } = aCall();
  asker.ask('a');
  await vi.advanceTimersByTimeAsync(250);
  asker.ask('b');

  await answer('a');
  expect(call).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(250);

  expect(call.mock.calls).toEqual([['a'], ['b']]);
});

it('neither asks nor shows anything once the question is dropped', async () => {
  const { asker, call, shown, answer } = aCall();
  asker.ask('a');
  await vi.advanceTimersByTimeAsync(250);

  asker.stop();
  await answer('a');
  asker.ask('b');
  asker.stop();
  await vi.advanceTimersByTimeAsync(1_000);

  expect(call).toHaveBeenCalledTimes(1);
  expect(shown).toEqual([]);
});
