import { config, type core, maxLength, minLength, refine, string } from 'zod/mini';
import english from 'zod/v4/locales/en.js';

// zod/mini ships without messages. Only English is bundled, because all locales would be parsed at each cold start.
config(english());

export * from 'zod/mini';

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

/** Describes every issue as `path: message`, separated by semicolons. `root` is what to call the value itself. */
export const describeIssues = ({ issues }: core.$ZodError, root: string): string =>
  issues
    .map((issue) => {
      const message = issue.code === 'unrecognized_keys' ? `does not know ${issue.keys.join(', ')}` : issue.message;
      return `${issue.path.join('.') || root}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
    })
    .join('; ');

/** Parses JSON. Returns undefined, which no JSON document represents, if the text is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
