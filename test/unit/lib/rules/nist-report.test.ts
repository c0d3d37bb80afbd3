import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { NIST_ANSWERS } from './nist-answers.ts';
import { nistFindings, nistReport } from './nist-report.ts';
import { STAGE_VARIANTS } from './stage-variants.ts';

/** The settings that answers may name, as the name of their choice in a variant. */
const CHOICES: Readonly<Record<string, string>> = {
  alarmTopicArn: 'topic',
  customerManagedKey: 'key',
  'reservedConcurrency.receive': 'limits',
  'reservedConcurrency.send': 'limits',
  'reservedConcurrency.publish': 'limits',
  'reservedConcurrency.manage': 'limits',
};

describe('The findings of the NIST 800-53 pack', () => {
  const findings = nistFindings(STAGE_VARIANTS);

  test('all have an answer, and each answer has a finding', () => {
    expect(findings.map(({ rule }) => rule)).toEqual(Object.keys(NIST_ANSWERS).toSorted());
  });

  test('that a setting answers are not found in any variant with the setting', () => {
    const unanswered = findings.flatMap(({ rule, variants }) => {
      const answer = NIST_ANSWERS[rule];
      if (answer?.kind !== 'setting') return [];
      const choices = answer.settings.map((setting) => CHOICES[setting]);
      expect(choices).not.toContain(undefined);
      return variants.filter((variant) => variant.split(', ').some((name) => choices.includes(name)));
    });

    expect(unanswered).toEqual([]);
  });

  test('name their controls and constructs', () => {
    for (const { controls, constructs } of findings) {
      expect(controls.length).toBeGreaterThan(0);
      expect(constructs.length).toBeGreaterThan(0);
    }
  });

  test('are in the report in docs, which npm run nist writes', () => {
    const page = readFileSync(new URL('../../../../docs/nist-800-53.md', import.meta.url), 'utf8');

    expect(page).toBe(nistReport(findings));
    expect(page.split('\n').filter((line) => line.length > 120)).toEqual([]);
  });
});
