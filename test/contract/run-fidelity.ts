/**
 * Compares the local run and the bundled functions with independent implementations and recordings of AWS, the sandbox
 * with an independent client, and the templates, policies, and requests with AWS's own rules and models.
 * If a tool is missing, skips its part and prints how to install the tool.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readArguments } from '../support/read-arguments.ts';
import { adapterParts } from './adapters/adapter-parts.ts';
import { independentClientPart } from './chat-service/independent-client-part.ts';
import { cfnLintPart } from './cloudformation/cfn-lint-part.ts';
import { dynamodbPart } from './dynamodb/dynamodb-part.ts';
import { eventPatternsPart } from './event-patterns/event-patterns-part.ts';
import type { FidelityPart, PartResult } from './fidelity-part.ts';
import { lambdaPart } from './lambda/lambda-part.ts';
import { policiesPart } from './policies/policies-part.ts';
import { recordedPart } from './recorded/recorded-part.ts';
import { ToolMissingError } from './references/installed-tool.ts';
import { requestsPart } from './requests/requests-part.ts';
import { sqsPart } from './sqs/sqs-part.ts';

/** Tools are installed here, and are not dependencies of the product. */
const CACHE_FOLDER = join(import.meta.dirname, '../../.parley/fidelity');

/** Parts that run concurrently with the others, because they mostly wait, for example for a deduplication interval. */
const WAITING: readonly FidelityPart[] = [sqsPart('ElasticMQ'), sqsPart('moto')];
const PARTS: readonly FidelityPart[] = [
  dynamodbPart,
  ...adapterParts,
  lambdaPart,
  independentClientPart,
  cfnLintPart,
  eventPatternsPart,
  requestsPart,
  recordedPart,
  policiesPart,
];
const ALL = [...PARTS, ...WAITING];

const USAGE = `Usage: npm run fidelity -- [--require] [--verbose] [--cache FOLDER] [PART ...]

--require       fail if a tool is missing instead of skipping its part
--verbose       print every listed difference
--cache FOLDER  install the tools in this folder (default: .parley/fidelity)

Parts (default: all):
${ALL.map(({ name, description }) => `  ${name.padEnd(24)}${description}`).join('\n')}`;

type Outcome =
  | { readonly kind: 'ran'; readonly result: PartResult }
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'broken'; readonly error: unknown };

const run = async (part: FidelityPart, cacheFolder: string): Promise<Outcome> => {
  try {
    return { kind: 'ran', result: await part.run(cacheFolder) };
  } catch (error) {
    return error instanceof ToolMissingError ? { kind: 'skipped', reason: error.message } : { kind: 'broken', error };
  }
};

const indented = (text: string): string => text.replaceAll(/^/gm, '  ');

const print = (
  { name, source = 'the AWS documentation' }: FidelityPart,
  outcome: Outcome,
  isVerbose: boolean,
): void => {
  if (outcome.kind === 'skipped') console.log(`${name}: skipped. ${outcome.reason}`);
  if (outcome.kind === 'broken') console.log(`${name}: FAILED. ${String(outcome.error)}`);
  if (outcome.kind !== 'ran') return;
  const { passed, differences, failures, table, notes = [] } = outcome.result;
  console.log(
    `${name}: ${failures.length > 0 ? 'FAILED. ' : ''}${passed} cases match ${source}, ` +
      `${differences} listed differences, ${failures.length} failures.`,
  );
  if (table !== undefined) console.log(indented(table));
  for (const note of isVerbose ? notes : []) console.log(indented(note));
  for (const failure of failures) console.log(indented(`FAILED: ${failure}`));
};

const isFailure = (outcome: Outcome): boolean =>
  outcome.kind === 'broken' || (outcome.kind === 'ran' && outcome.result.failures.length > 0);

const OPTIONS = {
  require: { type: 'boolean', default: false },
  verbose: { type: 'boolean', default: false },
  cache: { type: 'string', default: CACHE_FOLDER },
  help: { type: 'boolean', default: false },
} as const;

/** Returns the exit code: 1 if a part failed or a required part was skipped, and 2 for an invalid command line. */
const main = async (args: readonly string[]): Promise<0 | 1 | 2> => {
  const read = readArguments({ args: [...args], options: OPTIONS, allowPositionals: true });
  if (read.kind === 'invalid') {
    console.error(`${read.sentence}\n\n${USAGE}`);
    return 2;
  }
  const { values, positionals } = read;
  const unknown = positionals.filter((name) => !ALL.some((part) => part.name === name));
  if (values.help || unknown.length > 0) {
    if (unknown.length > 0) console.error(`Unknown part: ${unknown.join(', ')}.`);
    console.log(USAGE);
    return values.help ? 0 : 2;
  }
  await mkdir(values.cache, { recursive: true });
  const isWanted = ({ name }: FidelityPart) => positionals.length === 0 || positionals.includes(name);
  const outcomes: Outcome[] = [];
  const runAndPrint = async (part: FidelityPart): Promise<void> => {
    const outcome = await run(part, values.cache);
    print(part, outcome, values.verbose);
    outcomes.push(outcome);
  };
  const waiting = WAITING.filter(isWanted).map(runAndPrint);
  for (const part of PARTS.filter(isWanted)) await runAndPrint(part);
  await Promise.all(waiting);

  const failed = outcomes.filter(isFailure).length;
  const skipped = outcomes.filter(({ kind }) => kind === 'skipped').length;
  console.log(`${outcomes.length - skipped} parts run, ${skipped} skipped, ${failed} failed.`);
  if (values.require && skipped > 0) console.log('With --require, a skipped part is an error.');
  return failed > 0 || (values.require && skipped > 0) ? 1 : 0;
};

process.exit(await main(process.argv.slice(2)));
