import { z } from 'zod';

const oneOrMore = z.union([z.string().transform((one) => [one]), z.array(z.string())]);

// Strict, because any other Condition, NotAction or Principal would change what is allowed.
const policy = z.strictObject({
  Version: z.literal('2012-10-17'),
  Statement: z.array(
    z.strictObject({
      Sid: z.string().optional(),
      Effect: z.enum(['Allow', 'Deny']),
      Action: oneOrMore,
      Resource: oneOrMore,
      Condition: z.strictObject({ StringEquals: z.record(z.string(), oneOrMore) }).optional(),
    }),
  ),
});

/**
 * Returns whether a principal with these identity-based policies may take the action on the resource.
 *
 * @param context the condition keys of the call
 * Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export const isAllowed = (
  documents: readonly unknown[],
  action: string,
  resource: string,
  context: Readonly<Record<string, string>> = {},
): boolean => {
  const effects = documents
    .flatMap((document) => policy.parse(document).Statement)
    .filter(({ Action }) => Action.some((pattern) => matches(pattern.toLowerCase(), action.toLowerCase())))
    .filter(({ Resource }) => Resource.some((pattern) => matches(pattern, resource)))
    .filter(({ Condition }) =>
      Object.entries(Condition?.StringEquals ?? {}).every(([key, values]) => values.includes(context[key] ?? '')),
    )
    .map(({ Effect }) => Effect);
  return effects.includes('Allow') && !effects.includes('Deny');
};

/** Matches with `*` for any characters and `?` for one. */
const matches = (pattern: string, value: string): boolean =>
  new RegExp(
    `^${pattern
      .replace(/[\\^$+.()|[\]{}]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    's',
  ).test(value);
