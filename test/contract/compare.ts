import { isDeepStrictEqual } from 'node:util';
import type { ContractCase } from './contract-case.ts';
import type { ReferenceName } from './references/start-reference.ts';

/** What a reference does instead of what a case expects: the whole observation, or only the fields that differ. */
export type Deviation = { readonly observed: unknown } | { readonly changes: Readonly<Record<string, unknown>> };

/** A difference between a reference and the AWS documentation. */
export type Difference = Deviation & {
  readonly reference: ReferenceName | 'dynoxide' | 'the local run';
  /** The name of the case. */
  readonly case: string;
  /** What is different. */
  readonly reason: string;
};

/** The result of one case with a reference. */
export type Comparison =
  | { readonly kind: 'same' }
  | { readonly kind: 'known-difference'; readonly reason: string }
  /** The reference differs, and the list does not contain the difference. */
  | { readonly kind: 'unlisted-difference'; readonly observed: unknown }
  /** The reference does not differ, or differs in a way other than the listed one. */
  | { readonly kind: 'outdated-difference'; readonly observed: unknown };

/** Removes what JSON drops, so that an absent field equals an undefined one. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null');

/** Compares what a reference did in a case with what AWS documents, and with the listed difference, if any. */
export const compare = (
  { expected }: Pick<ContractCase<never>, 'expected'>,
  observed: unknown,
  difference: Difference | undefined,
): Comparison => {
  const isSame = isDeepStrictEqual(plain(observed), plain(expected));
  if (difference === undefined) return isSame ? { kind: 'same' } : { kind: 'unlisted-difference', observed };
  const listed = 'changes' in difference ? Object.assign({}, expected, difference.changes) : difference.observed;
  const isListed = !isSame && isDeepStrictEqual(plain(observed), plain(listed));
  return isListed ? { kind: 'known-difference', reason: difference.reason } : { kind: 'outdated-difference', observed };
};

/** Whether the contract, the reference, and the list agree. */
export const isAgreed = ({ kind }: Comparison): boolean => kind === 'same' || kind === 'known-difference';
