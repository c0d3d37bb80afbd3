import { type Comparison, compare, type Difference, isAgreed } from './compare.ts';
import type { ContractCase } from './contract-case.ts';
import type { PartResult } from './fidelity-part.ts';

/**
 * Runs all cases concurrently, because some of them wait for minutes, and compares their observations with what AWS
 * documents and with the listed differences of the implementation. Cases that do not agree run once more without the
 * others, because many concurrent cases can delay the steps of a case that depends on time.
 */
export const checkCases = async <Case extends ContractCase<never>>(
  cases: readonly Case[],
  observe: (one: Case) => Promise<unknown>,
  reference: Difference['reference'],
  differences: readonly Difference[],
): Promise<PartResult> => {
  const check = async (one: Case) => {
    const difference = differences.find((listed) => listed.reference === reference && listed.case === one.name);
    return { one, comparison: compare(one, await observe(one), difference) };
  };
  const first = await Promise.all(cases.map(check));
  const results = await Promise.all(first.map((result) => (isAgreed(result.comparison) ? result : check(result.one))));
  const count = (kind: Comparison['kind']) => results.filter(({ comparison }) => comparison.kind === kind).length;
  return {
    passed: count('same'),
    differences: count('known-difference'),
    failures: results.flatMap(({ one, comparison }) => describeFailure(one, comparison) ?? []),
    notes: results.flatMap(({ one, comparison }) =>
      comparison.kind === 'known-difference' ? [`${one.name}\n  listed: ${comparison.reason}\n  ${one.source}`] : [],
    ),
  };
};

const describeFailure = (
  { name, source, expected }: Pick<ContractCase<never>, 'name' | 'source' | 'expected'>,
  comparison: Comparison,
): string | undefined => {
  switch (comparison.kind) {
    case 'same':
    case 'known-difference':
      return undefined;
    case 'unlisted-difference': {
      const [documented, observed] = [JSON.stringify(expected), JSON.stringify(comparison.observed)];
      return `${name}\n  unlisted difference\n  AWS:      ${documented}\n  observed: ${observed}\n  ${source}`;
    }
    case 'outdated-difference':
      return `${name}\n  the listed difference has changed or disappeared\n  observed: ${JSON.stringify(comparison.observed)}\n  ${source}`;
  }
};
