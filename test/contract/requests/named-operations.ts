import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

/** An operation of an AWS service that the code calls. */
export interface NamedOperation {
  readonly operation: string;
  /** Whether the code calls it with a client of the SDK, or with Parley's own client. */
  readonly sender: 'SDK' | 'own';
}

/** How the code names operations, apart from paths. */
const NAMES: readonly { readonly sender: NamedOperation['sender']; readonly pattern: RegExp }[] = [
  { sender: 'SDK', pattern: /new (?:\w+\.)?(\w+)Command\(/g },
  { sender: 'SDK', pattern: /paginate(\w+)\(/g },
  { sender: 'own', pattern: /'(?:\w+\.)?([A-Z]\w+)'/g },
  { sender: 'own', pattern: /Action(?:=|: ')(\w+)/g },
];

/** Operations of REST APIs, which the operator's command calls by their paths. */
const BY_PATH = ['GetAccountSettings', 'GetStage'];

/** Returns the operations that the functions and the operator's command call. */
export const namedOperations = (isOperation: (name: string) => boolean): readonly NamedOperation[] => {
  const sources = globSync(join(ROOT, '{lambdas,cli}/**/*.ts')).map((file) => readFileSync(file, 'utf8'));
  const inSources = NAMES.flatMap(({ sender, pattern }) =>
    sources.flatMap((text) => [...text.matchAll(pattern)].map(([, operation = '']) => ({ operation, sender }))),
  ).filter(({ operation }) => isOperation(operation));
  const byPath = BY_PATH.map((operation) => ({ operation, sender: 'own' as const }));
  return [...new Map([...inSources, ...byPath].map((one) => [`${one.operation} ${one.sender}`, one])).values()];
};
