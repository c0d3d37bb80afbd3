import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../local/base/json.ts';
import type { FidelityPart } from '../fidelity-part.ts';
import { BUNDLE_CASES } from './bundle-cases.ts';
import { runBundles } from './run-bundles.ts';
import { observeRuntime, RUNTIME_CASES } from './runtime-cases.ts';
import { installRuntimeInterfaceClient } from './runtime-interface-client.ts';

const FUNCTION_RUNTIME = 'https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html';

/** Runs functions under AWS's runtime interface client, and compares them with the local run's own runtime client. */
export const lambdaPart: FidelityPart = {
  name: 'functions',
  description: `the bundled functions under AWS's runtime interface client, aws-lambda-ric`,
  async run(cacheFolder) {
    const runtimeClient = await installRuntimeInterfaceClient(cacheFolder);
    const failures = [...(await compareRuntimes(runtimeClient)), ...(await compareBundles(runtimeClient))];
    const cases = RUNTIME_CASES.length + BUNDLE_CASES.length;
    return { passed: Math.max(0, cases - failures.length), differences: 0, failures };
  },
};

const compareRuntimes = async (runtimeClient: string): Promise<readonly string[]> => {
  const failures: string[] = [];
  for (const one of RUNTIME_CASES) {
    const [own, aws] = await Promise.all([observeRuntime(one), observeRuntime(one, runtimeClient)]);
    if (!isDeepStrictEqual(own, aws)) failures.push(describe(`a function: ${one.name}`, own, aws, FUNCTION_RUNTIME));
  }
  return failures;
};

const compareBundles = async (runtimeClient: string): Promise<readonly string[]> => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'parley-fidelity-'));
  const now = Date.now();
  const own = await runBundles(folder.path, now);
  const aws = await runBundles(folder.path, now, runtimeClient);
  const results = BUNDLE_CASES.flatMap(({ name, source, expected }) => {
    const [one, other] = [own.results.get(name), aws.results.get(name)];
    if (isDeepStrictEqual(one, other) && hasParts(other, expected)) return [];
    return [describe(`${name}, expected ${JSON.stringify(expected)}`, one, other, source)];
  });
  const names = new Set([...Object.keys(own.state), ...Object.keys(aws.state)]);
  const state = [...names].flatMap((name) => {
    const [one, other] = [own.state[name], aws.state[name]];
    return isDeepStrictEqual(one, other)
      ? []
      : [describe(`what the cases leave: ${name}`, one, other, FUNCTION_RUNTIME)];
  });
  const logs =
    aws.strayLines.length === 0 ? [] : [`the logs have lines that are not JSON\n  ${aws.strayLines.join('\n  ')}`];
  return [...results, ...state, ...logs];
};

const describe = (name: string, own: unknown, aws: unknown, source: string): string =>
  `${name}\n  local run:      ${JSON.stringify(own)}\n  aws-lambda-ric: ${JSON.stringify(aws)}\n  ${source}`;

/** Whether a result has these members or is this value. */
const hasParts = (result: unknown, expected: unknown): boolean =>
  isObject(result) && isObject(expected)
    ? Object.entries(expected).every(([name, value]) => isDeepStrictEqual(result[name], value))
    : isDeepStrictEqual(result, expected);
