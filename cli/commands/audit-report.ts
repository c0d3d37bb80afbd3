import { CHANGE_LAWS, LAWS, REFERENCE_LAWS, STORED_ITEM_LAWS, type Violation } from '../../lambdas/laws/check-laws.ts';
import type { Law } from '../../lambdas/laws/law.ts';
import { type CommandResult, count } from '../command.ts';
import { type CliError, EXIT, type ExitCode } from '../errors.ts';
import { MAX_CANDIDATES, type TableAudit, type UnconfirmedViolation } from '../operations/audit-table.ts';

/** The laws about stored items. The others are about writes, which the table no longer shows. */
export const AUDITED: readonly Law[] = [...STORED_ITEM_LAWS, ...REFERENCE_LAWS];

/** Describes all laws, starting with those that an audit checks. */
export const describeLaws = (): CommandResult => {
  const isAudited = ({ name }: Law) => AUDITED.some((law) => law.name === name);
  return {
    lines: [
      'Checked by an audit:',
      ...LAWS.filter(isAudited).map(describeLaw),
      '',
      'Checked only in tests, because only the stream of the table shows each write:',
      ...CHANGE_LAWS.map(describeLaw),
    ],
    json: LAWS.map(({ name, statement, source, next }) => ({
      name,
      statement,
      source,
      next,
      audited: AUDITED.some((law) => law.name === name),
    })),
  };
};

const describeLaw = ({ name, statement }: Law): string => `  ${name}: ${statement}`;

/** Describes the violations by law, with what to do next. */
export const describeAudits = (
  audits: readonly TableAudit[],
  explain: (error: unknown) => CliError,
  note: string | undefined,
): CommandResult => {
  const violations = audits.flatMap((audit) => audit.violations);
  const unconfirmed = audits.flatMap((audit) => audit.unconfirmed);
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
      ...audits.flatMap((audit) => describeEnd(audit, explain)),
      ...(note === undefined ? [] : [note]),
      countFound(violations.length, unconfirmed.length),
    ],
    json: {
      audits: audits.map(({ error, ...audit }) => ({
        ...audit,
        ...(audit.end === 'failed' && { reason: explain(error).message }),
      })),
      laws: broken.map(({ law: { name, statement, source, next } }) => ({ name, statement, source, next })),
      ...(note !== undefined && { notChecked: note }),
    },
    exitCode: exitCodeOf(audits, explain),
  };
};

const exitCodeOf = (audits: readonly TableAudit[], explain: (error: unknown) => CliError): ExitCode => {
  if (audits.some(({ end }) => end === 'interrupted')) return EXIT.interrupted;
  const failed = audits.find(({ end }) => end === 'failed');
  if (failed !== undefined) return explain(failed.error).exitCode;
  const isClean = audits.every(({ violations, unconfirmed }) => violations.length + unconfirmed.length === 0);
  return isClean ? EXIT.done : EXIT.partial;
};

const UNCONFIRMED: Readonly<Record<UnconfirmedViolation['because'], string>> = {
  'not-read-again': 'because the audit ended before it read them again. Run it again:',
  erasure: 'because an erasure that may be running can explain them. Run the audit again when none is running:',
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
  { table, items, capacityUnits, end, error }: TableAudit,
  explain: (error: unknown) => CliError,
): readonly string[] => [
  `Table ${table}: ${count(items, 'item')} read, ${count(capacityUnits, 'read capacity unit')} used.`,
  ...(end === 'interrupted' ? ['Interrupted: the audit is not complete.'] : []),
  ...(end === 'failed' ? [`Failed: ${explain(error).message} The audit is not complete.`] : []),
  ...(end === 'too-many' ? [`Stopped at ${MAX_CANDIDATES} possible violations. To check fewer laws, use --law.`] : []),
];
