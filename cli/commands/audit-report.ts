import { CHANGE_LAWS, LAWS, REFERENCE_LAWS, STORED_ITEM_LAWS } from '../../lambdas/domain/laws/check-laws.ts';
import type { Law, Violation } from '../../lambdas/domain/laws/law.ts';
import { type CommandResult, count } from '../command.ts';
import { EXIT } from '../errors.ts';
import { MAX_CANDIDATES, type TableAudit } from '../operations/audit-table.ts';

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
export const describeAudits = (audits: readonly TableAudit[], note: string | undefined): CommandResult => {
  const violations = audits.flatMap((audit) => audit.violations);
  const isInterrupted = audits.some(({ end }) => end === 'interrupted');
  const broken = LAWS.flatMap((law) => {
    const own = violations.filter((violation) => violation.law === law.name);
    return own.length === 0 ? [] : [{ law, own }];
  });
  const found = violations.length > 0 ? EXIT.partial : EXIT.done;
  return {
    lines: [
      ...broken.flatMap(({ law, own }) => [
        `${law.name} (${count(own.length, 'item')}): ${law.statement}`,
        ...own.map(describeViolation),
        `  Next: ${law.next}`,
      ]),
      ...audits.flatMap(describeEnd),
      ...(note === undefined ? [] : [note]),
      violations.length === 0 ? 'No violations found.' : `Violations found: ${violations.length}.`,
    ],
    json: {
      audits,
      laws: broken.map(({ law: { name, statement, source, next } }) => ({ name, statement, source, next })),
      ...(note !== undefined && { notChecked: note }),
    },
    exitCode: isInterrupted ? EXIT.interrupted : found,
  };
};

const describeViolation = ({ key: { pk, sk }, fault }: Violation): string => `  ${pk} ${sk}: ${fault}`;

const describeEnd = ({ table, items, capacityUnits, end }: TableAudit): readonly string[] => [
  `Table ${table}: ${count(items, 'item')} read, ${count(capacityUnits, 'read capacity unit')} used.`,
  ...(end === 'interrupted' ? ['Interrupted: the rest of the table was not read.'] : []),
  ...(end === 'too-many' ? [`Stopped at ${MAX_CANDIDATES} possible violations. To check fewer laws, use --law.`] : []),
];
