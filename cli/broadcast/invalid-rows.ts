import { count } from '../base/command.ts';
import { countRefused, describeRefused, type RefusedRows, recordRefusal } from './refused-rows.ts';

/** Rows that cannot be sent. */
export interface InvalidRows {
  readonly add: (number: number, fault: RowFault) => void;
  readonly count: () => number;
  /** The rows by reason. */
  readonly byReason: () => RefusedRows;
  /** One line a row; many rows by reason. */
  readonly describe: () => readonly string[];
}

export interface RowFault {
  readonly why: string;
  /** The value of the cell. */
  readonly value?: string;
}

/** More would hide the question. */
const LISTED_ROWS = 10;
const MAX_VALUE_LENGTH = 60;

export const createInvalidRows = (): InvalidRows => {
  const reasons: RefusedRows = {};
  const listed: string[] = [];
  return {
    add(number, { why, value }) {
      recordRefusal(reasons, why, number);
      if (listed.length < LISTED_ROWS) listed.push(`  row ${number}: ${why}${value ? ` ("${shorten(value)}")` : ''}`);
    },
    count: () => countRefused(reasons),
    byReason: () => reasons,
    describe() {
      const total = countRefused(reasons);
      if (total === 0) return [];
      const heading = `${count(total, 'row is', 'rows are')} invalid:`;
      if (total <= LISTED_ROWS) return [heading, ...listed];
      // An option is wrong for all rows, so their numbers say no more.
      if (Object.keys(reasons).every((why) => why.startsWith('--'))) return [heading, ...describeRefused(reasons)];
      const more = `  and ${total - LISTED_ROWS} more. All of them, by reason:`;
      return [heading, ...listed, more, ...describeRefused(reasons)];
    },
  };
};

const shorten = (value: string): string =>
  value.length > MAX_VALUE_LENGTH ? `${value.slice(0, MAX_VALUE_LENGTH)}…` : value;
