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

/**
 * Describes the issues as `path: message`, separated by semicolons. Quotes no values and only a few field names,
 * because logs and dead letters' attributes contain the description.
 *
 * @param root what to call the value itself
 */
export const describeIssues = ({ issues }: core.$ZodError, root: string): string =>
  joinFaults(issues.map((issue) => `${fieldOf(issue) || root}: ${faultOf(issue)}`));

/** Lists some of the descriptions, and says how many others there are. */
export const joinFaults = (described: readonly string[]): string => {
  const rest = described.length - MAX_ISSUES;
  return [...described.slice(0, MAX_ISSUES), ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ');
};

/** Returns the path of an issue's field; empty for the value itself. */
export const fieldOf = ({ path }: core.$ZodIssue): string => path.map(nameOf).join('.');

/** Returns what is wrong, as the end of a sentence about the field. */
export const faultOf = (issue: core.$ZodIssue): string => {
  const message = issue.code === 'unrecognized_keys' ? describeUnknown(issue.keys) : issue.message;
  return `${message.charAt(0).toLowerCase()}${message.slice(1)}`;
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
