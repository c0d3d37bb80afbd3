import { CHANGE_LAWS, LAWS, REFERENCE_LAWS, STORED_ITEM_LAWS, type Violation } from '../../lambdas/laws/check-laws.ts';
import type { Law } from '../../lambdas/laws/law.ts';
import { type CommandResult, count } from '../base/command.ts';
import { type CliError, EXIT, type ExitCode } from '../base/errors.ts';
import { MAX_CANDIDATES, type TableCheck, type UnconfirmedViolation } from '../operations/check-table.ts';

/** The laws about stored items. The others are about writes, which the table no longer shows. */
export const CHECKED: readonly Law[] = [...STORED_ITEM_LAWS, ...REFERENCE_LAWS];

/** Describes all laws, starting with those that the command checks. */
export const describeLaws = (): CommandResult => {
  const isChecked = ({ name }: Law) => CHECKED.some((law) => law.name === name);
  return {
    lines: [
      'Checked in the table:',
      ...LAWS.filter(isChecked).map(describeLaw),
      '',
      'Checked only in tests, because only the stream of the table shows each write:',
      ...CHANGE_LAWS.map(describeLaw),
    ],
    json: LAWS.map(({ name, statement, source, next }) => ({
      name,
      statement,
      source,
      next,
      checked: CHECKED.some((law) => law.name === name),
    })),
  };
};

const describeLaw = ({ name, statement }: Law): string => `  ${name}: ${statement}`;

/** Describes the violations by law, with what to do next. */
export const describeChecks = (
  checks: readonly TableCheck[],
  explain: (error: unknown) => CliError,
  note: string | undefined,
): CommandResult => {
  const violations = checks.flatMap((check) => check.violations);
  const unconfirmed = checks.flatMap((check) => check.unconfirmed);
  const broken = LAWS.flatMap((law) => {
    const own = violations.filter((violation) => violation.law === law.name);
    return own.length === 0 ? [] : [{ law, own }];
  });
  return {
    lines: [
      ...broken.flatMap(({ law, own }) => [
        `${law.name} (${count(own.length, 'item')}): ${law.statement}`,
        ...own.map(describeViolation),
        `  Next: ${law.next}`,
      ]),
      ...describeUnconfirmed(unconfirmed),
      ...checks.flatMap((check) => describeEnd(check, explain)),
      ...(note === undefined ? [] : [note]),
      countFound(violations.length, unconfirmed.length),
    ],
    json: {
      tables: checks.map(({ error, ...check }) => ({
        ...check,
        ...(check.end === 'failed' && { reason: explain(error).message }),
      })),
      laws: broken.map(({ law: { name, statement, source, next } }) => ({ name, statement, source, next })),
      ...(note !== undefined && { notChecked: note }),
    },
    exitCode: exitCodeOf(checks, explain),
  };
};

const exitCodeOf = (checks: readonly TableCheck[], explain: (error: unknown) => CliError): ExitCode => {
  if (checks.some(({ end }) => end === 'interrupted')) return EXIT.interrupted;
  const failed = checks.find(({ end }) => end === 'failed');
  if (failed !== undefined) return explain(failed.error).exitCode;
  const isClean = checks.every(({ violations, unconfirmed }) => violations.length + unconfirmed.length === 0);
  return isClean ? EXIT.done : EXIT.partial;
};

const UNCONFIRMED: Readonly<Record<UnconfirmedViolation['because'], string>> = {
  'not-read-again': 'because the check ended before it read them again. Run it again:',
  erasure: 'because an erasure that may be running can explain them. Run the check again when none is running:',
};

const describeUnconfirmed = (all: readonly UnconfirmedViolation[]): readonly string[] =>
  (['not-read-again', 'erasure'] as const).flatMap((reason) => {
    const own = all.filter(({ because }) => because === reason);
    if (own.length === 0) return [];
    const lines = own.map(({ law, key: { pk, sk }, fault }) => `  ${pk} ${sk}: ${law}: ${fault}`);
    return [`Not confirmed (${count(own.length, 'violation')}), ${UNCONFIRMED[reason]}`, ...lines];
  });

const countFound = (violations: number, unconfirmed: number): string => {
  if (unconfirmed > 0) return `Violations found: ${violations}; not confirmed: ${unconfirmed}.`;
  return violations === 0 ? 'No violations found.' : `Violations found: ${violations}.`;
};

const describeViolation = ({ key: { pk, sk }, fault }: Violation): string => `  ${pk} ${sk}: ${fault}`;

const describeEnd = (
  { table, items, capacityUnits, end, error }: TableCheck,
  explain: (error: unknown) => CliError,
): readonly string[] => [
  `Table ${table}: ${count(items, 'item')} read, ${count(capacityUnits, 'read capacity unit')} used.`,
  ...(end === 'interrupted' ? ['Interrupted: the check is not complete.'] : []),
  ...(end === 'failed' ? [`Failed: ${explain(error).message} The check is not complete.`] : []),
  ...(end === 'too-many' ? [`Stopped at ${MAX_CANDIDATES} possible violations. To check fewer laws, use --law.`] : []),
];
