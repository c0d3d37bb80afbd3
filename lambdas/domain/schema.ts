import { config, type core, maxLength, minLength, overwrite, refine, string } from 'zod/mini';
import english from 'zod/v4/locales/en.js';
import { addressFault, plainAddress } from './address.ts';
import { isFieldName } from './field-name.ts';
import { MAX_ID_BYTES } from './key-part.ts';

// zod/mini ships without messages. Only English is bundled, because all locales would be parsed at each cold start.
config(english());

export * from 'zod/mini';
// Modules without zod: `publish` reads events, and zod would add more to its bundle than all of its other code for that.
export { MAX_ID_BYTES } from './key-part.ts';
export { parseJson } from './parse-json.ts';

/** Maximum length of names and ids in requests; table keys are built from them. */
export const MAX_NAME_LENGTH = 256;

/** A required string of well-formed Unicode. */
export const wellFormedString = () =>
  string({ error: (issue) => (issue.input === undefined ? 'is missing' : 'must be a string') }).check(
    refine((value) => value.isWellFormed(), 'is not well-formed Unicode'),
  );

/** A {@link wellFormedString} of 1 to `maxCharacters` characters. */
export const boundedString = (maxCharacters: number) =>
  wellFormedString().check(
    minLength(1, 'must not be empty'),
    maxLength(maxCharacters, `must not be longer than ${maxCharacters} characters`),
  );

/** The limit of IDs in webhook events. */
export const hasIdBytes = refine<string>(
  (id) => Buffer.byteLength(id) <= MAX_ID_BYTES,
  `must not be longer than ${MAX_ID_BYTES} bytes`,
);

/** An ID in events, which keys of the table contain. */
export const idInKey = () => boundedString(MAX_ID_BYTES).check(hasIdBytes);

/** The id of a user as a person or a system typed it. A phone number is returned in its plain form. */
export const typedAddress = (maxCharacters: number) =>
  boundedString(maxCharacters).check(
    overwrite(plainAddress),
    refine((address) => addressFault(address) === undefined, {
      error: ({ input }) => (typeof input === 'string' ? addressFault(input) : undefined),
    }),
  );

/** How many faults a description names. */
export const MAX_ISSUES = 10;
const MAX_UNKNOWN_FIELDS = 5;

/** What is wrong with one field of a call or of a queue message. */
export interface Fault {
  /** The path of the field, such as `params.name`, or what the whole value is called, such as `the body`. */
  readonly field: string;
  /** The end of a sentence about the field, such as `is missing`. */
  readonly fault: string;
  /** The value, shortened. Never free text, which can be wrong only in its length. */
  readonly value?: string;
}

/**
 * Returns the issues as faults. Only with `input` do they have values: logs and dead letters' attributes must not.
 *
 * @param root what to call the value itself
 */
export const faultsOf = ({ issues }: core.$ZodError, root: string, input?: unknown): readonly Fault[] =>
  issues.map((issue) => {
    const message = issue.code === 'unrecognized_keys' ? describeUnknown(issue.keys) : issue.message;
    const value = isOfForm(issue) ? quoteValue(issue.path.reduce(valueIn, input)) : undefined;
    return {
      field: issue.path.map(nameOf).join('.') || root,
      fault: `${message.charAt(0).toLowerCase()}${message.slice(1)}`,
      ...(value !== undefined && { value }),
    };
  });

/** Describes faults as `field: fault`, separated by semicolons. Names only fields, and not what may be text of a user. */
export const describeFaults = (faults: readonly Fault[]): string => {
  const described = faults
    .slice(0, MAX_ISSUES)
    .map(({ field, fault, value }) => `${field}: ${fault}${value === undefined ? '' : ` (got ${value})`}`);
  const rest = faults.length - described.length;
  return [...described, ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ');
};

/** Describes the issues without values. */
export const describeIssues = (error: core.$ZodError, root: string): string => describeFaults(faultsOf(error, root));

/** Whether the value has a wrong form, and not a wrong length. A URL can contain a secret. */
const isOfForm = (issue: core.$ZodIssue): boolean =>
  issue.code === 'custom' ||
  issue.code === 'invalid_value' ||
  (issue.code === 'invalid_format' && issue.format !== 'url') ||
  ((issue.code === 'too_big' || issue.code === 'too_small') && issue.origin === 'number');

const valueIn = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

const MAX_QUOTED = 40;

const quoteValue = (value: unknown): string | undefined => {
  if (typeof value !== 'string' || !value.isWellFormed()) return undefined;
  return JSON.stringify(value.length > MAX_QUOTED ? `${value.slice(0, MAX_QUOTED - 1)}…` : value);
};

const nameOf = (key: PropertyKey): string =>
  typeof key === 'number' || isFieldName(String(key)) ? String(key) : '<field>';

const describeUnknown = (keys: readonly string[]): string => {
  const names = keys.filter(isFieldName).slice(0, MAX_UNKNOWN_FIELDS);
  const rest = keys.length - names.length;
  const fields = keys.length === 1 ? 'field' : 'fields';
  if (names.length === 0) return `has ${rest} unknown ${fields}`;
  return `has the unknown ${fields} ${names.join(', ')}${rest === 0 ? '' : `, and ${rest} more`}`;
};
