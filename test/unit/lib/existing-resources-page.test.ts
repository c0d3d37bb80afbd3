import { execFileSync } from 'node:child_process';
import { mkdtempDisposableSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { CDK_CONTEXT } from './synthesized-stack.ts';

// The samples of docs/existing-resources.md, as an app of a user runs them.

const ROOT = join(import.meta.dirname, '../../..');
const page = readFileSync(join(ROOT, 'docs/existing-resources.md'), 'utf8');
const samples = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);

const folder = mkdtempDisposableSync(join(tmpdir(), 'parley-samples-'));
afterAll(() => folder.remove());

interface Template {
  readonly Resources?: Readonly<Record<string, { readonly Type: string; readonly Properties?: object }>>;
  readonly Outputs?: Readonly<Record<string, unknown>>;
}

const templateOf = (index: number, stack: string): Template =>
  JSON.parse(readFileSync(join(folder.path, `out-${index}`, `${stack}.template.json`), 'utf8'));
const resourcesOf = (template: Template, type: string) =>
  Object.entries(template.Resources ?? {}).filter(([, { Type }]) => Type === type);

symlinkSync(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'));
for (const [index, code] of samples.entries()) {
  writeFileSync(
    join(folder.path, `sample-${index}.ts`),
    code.replace("'@parleyhq/parley'", JSON.stringify(join(ROOT, 'lib/index.ts'))),
  );
}
// In one process, because loading CDK takes most of the time. Each app is synthesized when the process ends.
const run = samples.map((_, index) => `process.env.CDK_OUTDIR = 'out-${index}'; await import('./sample-${index}.ts');`);
const imports = run.join('\n');
execFileSync(process.execPath, ['--input-type=module', '-e', imports], {
  cwd: folder.path,
  stdio: 'pipe',
  env: {
    ...process.env,
    CDK_OUTDIR: 'out',
    CDK_CONTEXT_JSON: JSON.stringify({ ...CDK_CONTEXT, stage: 'dev', 'aws:cdk:bundling-stacks': [] }),
  },
});

describe('The samples of docs/existing-resources.md', () => {
  test('synthesize', () => {
    expect(samples).toHaveLength(4);
    for (const index of samples.keys()) {
      expect(resourcesOf(templateOf(index, 'Parley-dev'), 'AWS::SQS::Queue')).not.toEqual([]);
    }
  });

  test('give the functions that call the chat service two fixed addresses', () => {
    const index = samples.findIndex((code) => code.includes('NatProvider'));
    const network = templateOf(index, 'Network');
    const connected = resourcesOf(templateOf(index, 'Parley-dev'), 'AWS::Lambda::Function').filter(
      ([, { Properties = {} }]) => 'VpcConfig' in Properties,
    );

    expect(resourcesOf(network, 'AWS::EC2::EIP')).toHaveLength(2);
    expect(resourcesOf(network, 'AWS::EC2::NatGateway')).toHaveLength(2);
    expect(resourcesOf(network, 'AWS::EC2::VPCEndpoint')).toHaveLength(1);
    expect(Object.keys(network.Outputs ?? {})).toEqual(
      expect.arrayContaining(['FirstAddressOutput', 'SecondAddressOutput']),
    );
    expect(connected.map(([id]) => id.replace(/Function.*/, ''))).toEqual(['Sender', 'Management']);
  });
});
