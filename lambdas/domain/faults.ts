import { type core, faultOf, fieldOf, joinFaults } from './schema.ts';

/** What is wrong with one field of a call or of a queue message. */
export interface Fault {
  /** The path of the field, such as `params.name`, or what the whole value is called, such as `the body`. */
  readonly field: string;
  /** The end of a sentence about the field, such as `is missing`. */
  readonly fault: string;
  /**
   * The start of a value of the wrong form, quoted, whatever the caller put there. Never that of a URL, or of a field for
   * free text, which can be wrong only in its length.
   */
  readonly value?: string;
}

/**
 * Returns the issues as faults with the values, for the caller who sent them. Never put these values in logs or dead
 * letters.
 *
 * @param root what to call the input itself
 */
export const faultsOf = ({ issues }: core.$ZodError, root: string, input: unknown): readonly Fault[] =>
  issues.map((issue) => {
    const given = issue.path.reduce(valueIn, input);
    const value = isOfForm(issue) && !isText(issue, given) ? quoteValue(given) : undefined;
    return { field: fieldOf(issue) || root, fault: faultOf(issue), ...(value !== undefined && { value }) };
  });

/** Describes faults as `field: fault`, separated by semicolons. */
export const describeFaults = (faults: readonly Fault[]): string =>
  joinFaults(
    faults.map(({ field, fault, value }) => `${field}: ${fault}${value === undefined ? '' : ` (got ${value})`}`),
  );

/** Whether the value has a wrong form, and not a wrong length. A URL can contain a secret. */
const isOfForm = (issue: core.$ZodIssue): boolean =>
  issue.code === 'custom' ||
  issue.code === 'invalid_value' ||
  (issue.code === 'invalid_format' && issue.format !== 'url') ||
  ((issue.code === 'too_big' || issue.code === 'too_small') && issue.origin === 'number');

/** Whether a value that should be one of a list has spaces: it may be a message in the wrong field. */
const isText = ({ code }: core.$ZodIssue, value: unknown): boolean =>
  code === 'invalid_value' && typeof value === 'string' && /\s/.test(value);

const valueIn = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

const MAX_QUOTED = 40;

const quoteValue = (value: unknown): string | undefined => {
  if (typeof value !== 'string' || !value.isWellFormed()) return undefined;
  return JSON.stringify(value.length > MAX_QUOTED ? `${value.slice(0, MAX_QUOTED - 1)}…` : value);
};
