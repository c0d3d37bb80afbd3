import type { PartResult } from './fidelity-part.ts';

/** Something that a tool reports about one of the things that it checks. */
export interface Finding {
  /** The rule, or another short name of what is wrong. */
  readonly rule: string;
  /** Where, and what. */
  readonly message: string;
}

/** A finding that is not a defect. */
export interface AcceptedFinding {
  readonly rule: string;
  readonly message: RegExp;
  /** Why it is not a defect. */
  readonly reason: string;
}

/**
 * Compares the findings of a tool with those that are accepted. A finding that is not accepted fails, and so does an
 * accepted finding that no longer occurs.
 *
 * @param checked how many things the tool checked
 */
export const judgeFindings = (
  checked: number,
  findings: readonly Finding[],
  accepted: readonly AcceptedFinding[],
): PartResult => {
  const isAccepted = (finding: Finding, { rule, message }: AcceptedFinding): boolean =>
    finding.rule === rule && message.test(finding.message);
  const unaccepted = findings.filter((finding) => !accepted.some((one) => isAccepted(finding, one)));
  const outdated = accepted.filter((one) => !findings.some((finding) => isAccepted(finding, one)));
  return {
    passed: checked,
    differences: accepted.length - outdated.length,
    failures: [
      ...unaccepted.map(({ rule, message }) => `${rule}: ${message}`),
      ...outdated.map(({ rule, message }) => `${rule}: ${message.source}\n  accepted, but no longer found`),
    ],
    notes: accepted.map(({ rule, message, reason }) => `${rule}: ${message.source}\n  accepted: ${reason}`),
  };
};
