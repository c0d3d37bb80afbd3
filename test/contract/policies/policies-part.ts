import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { writeTemplates } from '../cloudformation/synthesized-templates.ts';
import type { FidelityPart } from '../fidelity-part.ts';
import { type AcceptedFinding, type Finding, judgeFindings } from '../findings.ts';
import { installPython, readOutput } from '../references/installed-tool.ts';
import { HANDLER_ACTIONS, type HandlerActions, readHandlerActions } from './handler-actions.ts';
import { policiesInDocuments, policiesInTemplates } from './policies-in-templates.ts';

const PROGRAM = join(import.meta.dirname, 'check_policies.py');

const ACCEPTED: readonly AcceptedFinding[] = [
  {
    rule: 'parliament RESOURCE_STAR',
    message: /^TableKey /,
    reason: 'In the policy of a key, * stands for the key.',
  },
  {
    rule: 'parliament RESOURCE_STAR',
    message: /FunctionRoleNetwork .*'ec2:CreateNetworkInterface'/,
    reason:
      'Lambda requires these actions on all resources to connect a function to a VPC, and its code is denied them.',
  },
  {
    rule: 'parliament RESOURCE_STAR',
    message: /^(\w+FunctionRolloutRoleDefaultPolicy |docs\/policies\/deploy\/).*\['cloudwatch:DescribeAlarms'\]$/,
    reason: 'CloudWatch allows a call that asks for composite alarms only for all alarms.',
  },
  {
    rule: 'policy_sentry no resource',
    message: /^(\w+FunctionRolloutRoleDefaultPolicy |docs\/policies\/deploy\/).* cloudwatch:DescribeAlarms$/,
    reason: 'CloudWatch allows a call that asks for composite alarms only for all alarms.',
  },
  {
    rule: 'parliament RESOURCE_MISMATCH',
    message:
      /^(Management|Publisher)FunctionRoleDefaultPolicy .*\[(\{'action': 'dynamodb:\w+', 'required_format': '[^']+\/stream\/\*'\}(, )?)+\]$/,
    reason: 'parliament does not read the colons in the time that ends the ARN of a stream.',
  },
  {
    rule: 'parliament MISMATCHED_TYPE',
    message: /ArnLike requires a value of type Arn but given String$/,
    reason: 'AWS documents ArnLike for the ARNs in encryption contexts, which the reference lists as strings.',
  },
  {
    rule: 'parliament UNKNOWN_ACTION',
    message: /^docs\/policies\/deploy\/.* (lambda:GetFunctionScalingConfig|logs:PutLogGroupDeletionProtection)$/,
    reason: "The actions are newer than parliament's definitions. policy_sentry and CloudFormation know them.",
  },
  {
    rule: 'parliament INVALID_ARN',
    message: /^(BotFunction|ShipmentMessagesPipe|ShipmentProcess)\w*RoleDefaultPolicy .*Does not have 6 parts$/,
    reason: 'The ARNs are outputs of another stack of the examples, which are not resolved.',
  },
];

const findings = z.array(z.object({ rule: z.string(), message: z.string() }));

/** Checks every policy of the templates and of `docs/policies` with parliament and policy_sentry. */
export const policiesPart: FidelityPart = {
  name: 'policies',
  description: 'the policies of all variants and of docs/policies, checked by parliament and policy_sentry',
  source: "AWS's service authorization reference",
  async run(cacheFolder) {
    const python = await installPython('policy-tools', 'parliament needs Python 3.10 or later', cacheFolder);
    await using folder = await mkdtempDisposable(join(tmpdir(), 'parley-templates-'));
    const policies = [...(await policiesInTemplates(await writeTemplates(folder.path))), ...policiesInDocuments()];
    const output = await readOutput([python, PROGRAM], JSON.stringify(policies));
    const found = [...findings.parse(JSON.parse(output)), ...(await outdatedActions(cacheFolder))];
    return judgeFindings(policies.length, found, ACCEPTED);
  },
};

/** Compares the stored actions, from which the policies for deployments are generated, with CloudFormation's schemas. */
const outdatedActions = async (cacheFolder: string): Promise<readonly Finding[]> => {
  const stored: HandlerActions = JSON.parse(await readFile(HANDLER_ACTIONS, 'utf8'));
  const current = await readHandlerActions(cacheFolder, Object.keys(stored));
  return Object.keys(stored)
    .filter((type) => !isDeepStrictEqual(stored[type], current[type]))
    .map((type) => ({ rule: 'cfn-lint', message: `${type}: needs other actions. Run npm run deploy-policies.` }));
};
