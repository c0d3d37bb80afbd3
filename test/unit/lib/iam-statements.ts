import type { Template } from 'aws-cdk-lib/assertions';
import { z } from 'zod';

const oneOrMore = z.union([z.array(z.unknown()), z.unknown().transform((one) => [one])]);

const policyDocument = z.object({
  Statement: z.array(
    z.strictObject({
      Sid: z.string().optional(),
      Effect: z.string(),
      Action: oneOrMore,
      Resource: oneOrMore,
      Principal: z.record(z.string(), z.unknown()).optional(),
      Condition: z.unknown().optional(),
    }),
  ),
});

/** Trust policies of roles, and policies of queues that are no policy documents. */
const WITHOUT_RESOURCES = ['AssumeRolePolicyDocument', 'RedrivePolicy', 'RedriveAllowPolicy'];

const inlinePolicies = z.array(z.object({ PolicyDocument: z.unknown() }));

/**
 * Returns every policy statement of the template as a line, sorted, such as
 * `QueuePolicy: Deny sqs:* on Queue.Arn to * if {...}`, with logical ids without their hash.
 *
 * It reads every property that holds a policy document, except the trust policies of roles, which have no resource.
 */
export function statementsOf(template: Template): string[] {
  const resources: Record<string, { Properties?: Record<string, unknown> }> = template.toJSON().Resources;
  return Object.entries(resources)
    .flatMap(([logicalId, { Properties = {} }]) =>
      Object.entries(Properties)
        .filter(([property]) => !WITHOUT_RESOURCES.includes(property))
        .flatMap(([property, value]) => documentsOf(property, value))
        .flatMap((document) => policyDocument.parse(document).Statement)
        .map(({ Effect, Action, Resource, Principal, Condition }) => {
          const principal = Principal ? ` to ${list(Object.values(Principal))}` : '';
          const condition = Condition ? ` if ${JSON.stringify(Condition, (_, value) => flattened(value))}` : '';
          return `${withoutHash(logicalId)}: ${Effect} ${list(Action)} on ${list(Resource)}${principal}${condition}`;
        }),
    )
    .sort();
}

/** Returns the policy documents in a property of a resource: its own one, or those of a role's inline policies. */
function documentsOf(property: string, value: unknown): readonly unknown[] {
  if (property === 'Policies') return inlinePolicies.parse(value).map(({ PolicyDocument }) => PolicyDocument);
  return property.endsWith('Policy') || property.endsWith('PolicyDocument') ? [value] : [];
}

function list(values: readonly unknown[]): string {
  return values.map(written).sort().join(', ');
}

function written(value: unknown): string {
  const flat = flattened(value);
  if (typeof flat !== 'string') throw new Error(`This test cannot read ${JSON.stringify(value)}.`);
  return flat;
}

/** Returns CloudFormation's Ref, GetAtt and Join as strings, and anything else unchanged. */
function flattened(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('Ref' in value) return withoutHash(String(value.Ref));
  if ('Fn::GetAtt' in value && Array.isArray(value['Fn::GetAtt'])) {
    return value['Fn::GetAtt'].map((part) => withoutHash(String(part))).join('.');
  }
  if ('Fn::Join' in value && Array.isArray(value['Fn::Join'])) {
    return value['Fn::Join'][1].map(flattened).join(value['Fn::Join'][0]);
  }
  return value;
}

function withoutHash(logicalId: string): string {
  return logicalId.replace(/[0-9A-F]{8}$/, '');
}
