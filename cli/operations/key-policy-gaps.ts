import { z } from 'zod';

/** A statement that a key's policy needs. */
export interface NeededStatement {
  readonly Principal: { readonly Service: string };
  readonly Action: readonly string[];
  readonly Condition: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const oneOrMore = z.union([z.array(z.string()), z.string().transform((one) => [one])]);
const statement = z.object({
  Effect: z.string(),
  Principal: z.union([z.string(), z.object({ Service: oneOrMore.default([]) })]).optional(),
  Action: oneOrMore.default([]),
  Condition: z.record(z.string(), z.record(z.string(), oneOrMore)).default({}),
});
const policyDocument = z.object({ Statement: z.union([z.array(statement), statement.transform((one) => [one])]) });
type Statement = z.output<typeof statement>;

/**
 * Returns the needed statements that a policy does not cover. A statement of the policy with a condition that this cannot
 * evaluate covers nothing, so it may name one too many, but never one too few, unless another statement denies it.
 */
export const keyPolicyGaps = <Needed extends NeededStatement>(policy: unknown, needed: readonly Needed[]): Needed[] => {
  const { Statement } = policyDocument.parse(policy);
  return needed.filter(({ Principal, Action, Condition }) => {
    const context = Object.assign({}, ...Object.values(Condition));
    const allowing = Statement.filter((one) => allows(one, Principal.Service, context));
    return !Action.every((action) => allowing.some((one) => one.Action.some((pattern) => matches(pattern, action))));
  });
};

const OPERATORS = ['ArnEquals', 'ArnLike', 'StringEquals', 'StringLike'];

const allows = (
  { Effect, Principal, Condition }: Statement,
  service: string,
  context: Record<string, string>,
): boolean =>
  Effect === 'Allow' &&
  (typeof Principal === 'string' ? Principal === '*' : Principal?.Service.includes(service) === true) &&
  Object.entries(Condition).every(
    ([operator, values]) =>
      OPERATORS.includes(operator) &&
      Object.entries(values).every(([key, patterns]) => {
        const value = context[key];
        return value !== undefined && patterns.some((pattern) => matches(pattern, value));
      }),
  );

/** A `*` in the value stands for itself: only a `*` of the pattern covers it. */
const matches = (pattern: string, value: string): boolean => {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(value);
};
