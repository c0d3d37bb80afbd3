import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { FidelityPart } from '../fidelity-part.ts';
import { type AcceptedFinding, type Finding, judgeFindings } from '../findings.ts';
import { installPython, readOutput } from '../references/installed-tool.ts';
import { type TemplateFile, writeTemplates } from './synthesized-templates.ts';

const NEEDS = 'cfn-lint needs Python 3.10 or later';

/** One region of each partition. */
const REGIONS = ['us-east-1', 'cn-north-1', 'us-gov-west-1'];

const ACCEPTED: readonly AcceptedFinding[] = [
  {
    rule: 'W3005',
    message: /dependency already enforced by a 'GetAtt' at 'Resources\/.+\/Properties\/Role(Arn)?'/,
    reason: 'CDK adds dependencies on the role and on its policies. The one on the role is redundant.',
  },
  {
    rule: 'E3006',
    message: /'AWS::Events::(ApiDestination|Connection)' does not exist in 'us-gov-west-1'/,
    reason: 'Targets with a URL are not available there. A stage in this region sends its events to queues.',
  },
  {
    rule: 'E3006',
    message: /the examples.*'AWS::Pipes::Pipe' does not exist in 'us-gov-west-1'/,
    reason: 'An example forwards events with a pipe.',
  },
];

const matches = z.array(
  z.object({
    Filename: z.string(),
    Message: z.string(),
    Rule: z.object({ Id: z.string() }),
    Location: z.object({ Path: z.array(z.union([z.string(), z.number()])).nullable() }),
  }),
);

/** Checks the templates of all variants with cfn-lint, AWS's linter for CloudFormation. */
export const cfnLintPart: FidelityPart = {
  name: 'cfn-lint',
  description: 'the templates of all variants and examples, checked by cfn-lint, in about two minutes',
  source: "the rules of AWS's linter",
  async run(cacheFolder) {
    const python = await installPython('cfn-lint', NEEDS, cacheFolder);
    await using folder = await mkdtempDisposable(join(tmpdir(), 'parley-templates-'));
    const templates = await writeTemplates(folder.path);
    return judgeFindings(templates.length, await lint(python, templates), ACCEPTED);
  },
};

const lint = async (python: string, templates: readonly TemplateFile[]): Promise<Finding[]> => {
  const options = ['--regions', ...REGIONS, '--format', 'json', '--non-zero-exit-code', 'none'];
  const files = templates.map(({ file }) => file);
  const output = await readOutput([join(dirname(python), 'cfn-lint'), ...options, '--template', ...files]);
  return matches.parse(JSON.parse(output || '[]')).map(({ Filename, Message, Rule, Location }) => {
    const name = templates.find(({ file }) => file === Filename)?.name ?? basename(Filename);
    return { rule: Rule.Id, message: `${name}: ${Location.Path?.join('/') ?? ''}: ${Message}` };
  });
};
