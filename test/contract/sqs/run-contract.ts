/** Checks the references against the contract that the local run's queues are tested with. */
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import { CREDENTIALS } from '../../../local/aws-environment.ts';
import { type Comparison, compare, isAgreed } from './compare.ts';
import { observe, SQS_CONTRACT } from './contract.ts';
import { DIFFERENCES } from './differences.ts';
import { REFERENCES, type ReferenceName, ReferenceUnavailableError, startReference } from './reference.ts';

type Results = ReadonlyMap<string, Comparison>;

/** Runs all cases concurrently, because some of them wait for minutes. */
const check = async (name: ReferenceName): Promise<Results> => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'parley-contract-'));
  await using reference = await startReference(name, folder.path);
  const sqs = new SQSClient({ endpoint: reference.url, region: 'us-east-1', credentials: CREDENTIALS });
  console.log(`${name}: running ${SQS_CONTRACT.length} cases, which takes about five minutes.`);
  const results = await Promise.all(
    SQS_CONTRACT.map(async (one) => {
      const observed = await observe(one, { sqs, pass: (seconds) => pause(seconds * 1000) });
      const difference = DIFFERENCES.find((listed) => listed.reference === name && listed.case === one.name);
      return [one.name, compare(one, observed, difference)] as const;
    }),
  );
  sqs.destroy();
  return new Map(results);
};

const print = (name: ReferenceName, results: Results): void => {
  for (const one of SQS_CONTRACT) {
    const comparison = results.get(one.name);
    if (!comparison || comparison.kind === 'same') continue;
    console.log(`${name}: ${one.name}\n  ${describe(comparison, one.expected)}\n  ${one.source}`);
  }
  const count = (kind: Comparison['kind']) => [...results.values()].filter((result) => result.kind === kind).length;
  console.log(
    `${name}: ${count('same')} cases as AWS documents them, ${count('known-difference')} listed differences, ` +
      `${count('unlisted-difference')} unlisted, ${count('outdated-difference')} outdated.`,
  );
};

const describe = (comparison: Comparison, expected: unknown): string => {
  switch (comparison.kind) {
    case 'same':
      return 'as AWS documents it';
    case 'known-difference':
      return `listed: ${comparison.reason}`;
    case 'unlisted-difference':
      return `not listed\n  SQS:      ${JSON.stringify(expected)}\n  observed: ${JSON.stringify(comparison.observed)}`;
    case 'outdated-difference':
      return `no longer as listed\n  observed: ${JSON.stringify(comparison.observed)}`;
  }
};

/** Prints the cases that no reference confirms, which only the AWS documentation supports. */
const printUnconfirmed = (all: readonly Results[]): void => {
  const unconfirmed = SQS_CONTRACT.filter(({ name }) => all.every((results) => results.get(name)?.kind !== 'same'));
  console.log(`${SQS_CONTRACT.length - unconfirmed.length} of ${SQS_CONTRACT.length} cases hold in some reference.`);
  for (const { name } of unconfirmed) console.log(`  in none: ${name}`);
};

/** Returns the references that the arguments name, or undefined if there is no such reference. */
const referencesOf = (args: readonly string[]): readonly ReferenceName[] | undefined => {
  if (args.length === 0) return REFERENCES;
  const named = REFERENCES.filter((name) => args.some((arg) => arg.toLowerCase() === name.toLowerCase()));
  return named.length === args.length ? named : undefined;
};

const main = async (args: readonly string[]): Promise<boolean> => {
  const names = referencesOf(args);
  if (names === undefined) {
    console.error(`Name one or more of ${REFERENCES.join(' and ')}; without a name, all of them run.`);
    return false;
  }
  const all = await Promise.all(names.map(checkAndPrint));
  const finished = all.filter((results) => results !== undefined);
  if (finished.length === REFERENCES.length) printUnconfirmed(finished);
  return finished.length === names.length && finished.every((results) => [...results.values()].every(isAgreed));
};

const checkAndPrint = async (name: ReferenceName): Promise<Results | undefined> => {
  try {
    const results = await check(name);
    print(name, results);
    return results;
  } catch (error) {
    if (!(error instanceof ReferenceUnavailableError)) throw error;
    console.error(error.message);
    return undefined;
  }
};

process.exit((await main(process.argv.slice(2))) ? 0 : 1);
