import { z } from 'zod';

const oneOrMore = z.union([z.string().transform((one) => [one]), z.array(z.string())]);

// Strict: a Condition, a NotAction or a Principal would change what is allowed, so that none is passed over in silence.
const policy = z.strictObject({
  Version: z.literal('2012-10-17'),
  Statement: z.array(
    z.strictObject({
      Sid: z.string().optional(),
      Effect: z.enum(['Allow', 'Deny']),
      Action: oneOrMore,
      Resource: oneOrMore,
    }),
  ),
});

/**
 * Whether a principal with these identity-based policies may do it: a Deny refuses, an Allow admits, silence refuses.
 * Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export const isAllowed = (documents: readonly unknown[], action: string, resource: string): boolean => {
  const effects = documents
    .flatMap((document) => policy.parse(document).Statement)
    .filter(({ Action }) => Action.some((pattern) => fits(pattern.toLowerCase(), action.toLowerCase())))
    .filter(({ Resource }) => Resource.some((pattern) => fits(pattern, resource)))
    .map(({ Effect }) => Effect);
  return effects.includes('Allow') && !effects.includes('Deny');
};

/** `*` stands for any characters, `?` for one. */
const fits = (pattern: string, value: string): boolean =>
  new RegExp(
    `^${pattern
      .replace(/[\\^$+.()|[\]{}]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    's',
  ).test(value);
