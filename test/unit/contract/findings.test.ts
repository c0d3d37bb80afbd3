import { describe, expect, it } from 'vitest';
import { judgeFindings } from '../../contract/findings.ts';

describe("a tool's findings", () => {
  const finding = { rule: 'W1', message: 'Queue: unused' };
  const accepted = { rule: 'W1', message: /unused/, reason: 'It is used elsewhere.' };

  it.each([
    ['are all accepted', [finding], [accepted], 1, []],
    ['are none', [], [], 0, []],
    ['are not accepted', [finding], [], 0, ['W1: Queue: unused']],
    ['are of another rule', [finding, { ...finding, rule: 'W2' }], [accepted], 1, ['W2: Queue: unused']],
    ['no longer include an accepted one', [], [accepted], 0, ['W1: unused\n  accepted, but no longer found']],
  ])('%s', (_, findings, acceptedFindings, differences, failures) => {
    expect(judgeFindings(3, findings, acceptedFindings)).toMatchObject({ passed: 3, differences, failures });
  });
});
