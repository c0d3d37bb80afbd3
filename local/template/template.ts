import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { LocalError, messageOf } from '../local-error.ts';

const resource = z.strictObject({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  DependsOn: z.union([z.string().transform((one) => [one]), z.array(z.string())]).default([]),
  Condition: z.string().optional(),
  Metadata: z.record(z.string(), z.unknown()).default({}),
  // Both speak of a later deletion or replacement; a local run ends with all that it made.
  DeletionPolicy: z.string().optional(),
  UpdateReplacePolicy: z.string().optional(),
});

const template = z.strictObject({
  AWSTemplateFormatVersion: z.string().optional(),
  Description: z.string().optional(),
  Metadata: z.unknown().optional(),
  // CDK's own: both only check that the account was bootstrapped, and there is no account here.
  Parameters: z.strictObject({ BootstrapVersion: z.unknown() }).partial().optional(),
  Rules: z.strictObject({ CheckBootstrapVersion: z.unknown() }).partial().optional(),
  Conditions: z.record(z.string(), z.unknown()).default({}),
  Resources: z.record(z.string(), resource),
  Outputs: z.record(z.string(), z.object({ Value: z.unknown(), Condition: z.string().optional() })).default({}),
});

/** A resource as the template declares it, its intrinsics not yet resolved. */
export type TemplateResource = z.output<typeof resource>;

/**
 * A synthesized CloudFormation template, of the sections and attributes that the local run knows.
 *
 * Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-anatomy.html
 */
export type Template = z.output<typeof template>;

/** Reads a template. @throws LocalError that names what the local run does not know. */
export const parseTemplate = (value: unknown): Template => {
  const parsed = template.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'the template'}: ${issue.message}`);
  throw new LocalError(`The local run cannot read the template. ${faults.join('; ')}.`);
};

/** Reads a template's file. @throws LocalError when there is none or it is not known. */
export const readTemplate = async (file: string): Promise<Template> => {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new LocalError(`There is no synthesized template at ${file}: ${messageOf(error)}`);
  });
  return parseTemplate(JSON.parse(text));
};
