import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { LocalError, messageOf } from '../base/local-error.ts';
import { referencesOf } from './intrinsics.ts';

const resource = z.strictObject({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  DependsOn: z.union([z.string().transform((one) => [one]), z.array(z.string())]).default([]),
  Condition: z.string().optional(),
  Metadata: z.record(z.string(), z.unknown()).default({}),
  // Affects only updates.
  UpdatePolicy: z.strictObject({ CodeDeployLambdaAliasUpdate: z.unknown() }).optional(),
  // Both affect only deletion and replacement, which never happen in a local run.
  DeletionPolicy: z.string().optional(),
  UpdateReplacePolicy: z.string().optional(),
});

const template = z.strictObject({
  AWSTemplateFormatVersion: z.string().optional(),
  Description: z.string().optional(),
  Metadata: z.record(z.string(), z.unknown()).default({}),
  // CDK uses both only to check that the account is bootstrapped, and a local run has no account.
  Parameters: z.strictObject({ BootstrapVersion: z.unknown() }).partial().optional(),
  Rules: z.strictObject({ CheckBootstrapVersion: z.unknown() }).partial().optional(),
  Conditions: z.record(z.string(), z.unknown()).default({}),
  Resources: z.record(z.string(), resource),
  Outputs: z.record(z.string(), z.object({ Value: z.unknown(), Condition: z.string().optional() })).default({}),
});

/**
 * A synthesized CloudFormation template, limited to the sections and attributes that the local run supports.
 *
 * Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-anatomy.html
 */
export type Template = z.output<typeof template>;

/** Validates a template. @throws LocalError that names each part that the local run does not support. */
export const parseTemplate = (value: unknown): Template => {
  const parsed = template.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'the template'}: ${issue.message}`);
  throw new LocalError(`The local run does not support this template. ${faults.join('; ')}.`);
};

/** Reads a template file. @throws LocalError if the template is missing or not supported. */
export const readTemplate = async (
  file: string,
  edit: (json: string) => string = (json) => json,
): Promise<Template> => {
  const json = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new LocalError(`The synthesized template ${file} cannot be read: ${messageOf(error)}`);
  });
  return parseTemplate(JSON.parse(edit(json)));
};

/**
 * Returns the logical ids in the order in which CloudFormation creates the resources: each one after those that it
 * references.
 *
 * @throws LocalError if there is a circular reference, or a dependency on a resource that does not exist.
 */
export const creationOrder = (resources: Template['Resources']): readonly string[] => {
  const order: string[] = [];
  const state = new Map<string, 'visiting' | 'done'>();
  const visit = (logicalId: string, path: readonly string[]): void => {
    const declared = resources[logicalId];
    if (!declared || state.get(logicalId) === 'done') return;
    if (state.get(logicalId) === 'visiting') {
      throw new LocalError(`The template has a circular reference: ${[...path, logicalId].join(' → ')}.`);
    }
    state.set(logicalId, 'visiting');
    const missing = declared.DependsOn.find((dependency) => !resources[dependency]);
    if (missing !== undefined) {
      throw new LocalError(`${logicalId} (${declared.Type}) depends on ${missing}, which is not in the template.`);
    }
    for (const id of [...declared.DependsOn, ...referencesOf(declared.Properties)]) visit(id, [...path, logicalId]);
    state.set(logicalId, 'done');
    order.push(logicalId);
  };
  for (const logicalId of Object.keys(resources)) visit(logicalId, []);
  return order;
};
