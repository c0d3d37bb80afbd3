import * as z from './schema.ts';

/** Longer than any name or id that a platform gives; the table's keys are made of them. */
export const NAME = 256;

/** A field of text that somebody else wrote: there, and well-formed Unicode. */
export const string = () =>
  z
    .string({ error: (issue) => (issue.input === undefined ? 'is missing' : 'must be text') })
    .check(z.refine((value) => value.isWellFormed(), 'is not well-formed Unicode'));

/** As {@link string}, not empty, and of so many characters at most. */
export const text = (maxCharacters: number) =>
  string().check(
    z.minLength(1, 'must not be empty'),
    z.maxLength(maxCharacters, `must not be longer than ${maxCharacters} characters`),
  );
