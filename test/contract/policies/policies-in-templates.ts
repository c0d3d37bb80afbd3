import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { resolveAtDeployment } from '../../unit/lib/quotas/resolve-at-deployment.ts';
import { readTemplate, type Template, type TemplateFile } from '../cloudformation/synthesized-templates.ts';

/** A policy as IAM or a resource gets it. */
export interface NamedPolicy {
  /** The property that holds it, or the file. */
  readonly name: string;
  /** Whether it is attached to a principal, to a resource, or says who can assume a role. */
  readonly kind: 'identity' | 'resource' | 'trust';
  readonly policy: unknown;
}

const DOCUMENTS = join(import.meta.dirname, '../../../docs/policies');

const document = z.looseObject({ Statement: z.unknown() });
const inline = z.array(z.object({ PolicyDocument: document }));

/** Returns every policy in the templates, without repetitions, with references as they are resolved at deployment. */
export const policiesInTemplates = async (files: readonly TemplateFile[]): Promise<readonly NamedPolicy[]> => {
  const templates = await Promise.all(files.map(readTemplate));
  const policies = templates.flatMap(policiesIn);
  return [...new Map(policies.map((one) => [JSON.stringify([one.kind, one.policy]), one])).values()];
};

const policiesIn = ({ Resources }: Template): readonly NamedPolicy[] =>
  Object.entries(Resources).flatMap(([id, { Type, Properties }]) => {
    const resolved = z.record(z.string(), z.unknown()).parse(resolveAtDeployment(Properties ?? {}, Resources));
    const named = `${id.replace(/[0-9A-F]{8}$/, '')} (${Type})`;
    return Object.entries(resolved).flatMap(([property, value]) => {
      const documents = [
        ...[document.safeParse(value).data].flatMap((one) => one ?? []),
        ...(property === 'Policies' ? inline.parse(value).map(({ PolicyDocument }) => PolicyDocument) : []),
      ];
      return documents.map((policy) => ({ name: named, kind: kindOf(Type, property), policy }));
    });
  });

const kindOf = (type: string, property: string): NamedPolicy['kind'] => {
  if (property === 'AssumeRolePolicyDocument') return 'trust';
  return type.startsWith('AWS::IAM::') ? 'identity' : 'resource';
};

/** The placeholders of the policies in `docs/policies`, in the order in which they are replaced. */
const PLACEHOLDERS: readonly (readonly [placeholder: string, value: string])[] = [
  ['ACCESS-TOKEN-SECRET-ID', 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:SenderAccessToken-a1b2c3'],
  ['WEBHOOK-SECRET-ID', 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:ReceiverWebhookSecret-a1b2c3'],
  ['KEY-ID', '1234abcd-12ab-34cd-56ef-1234567890ab'],
  ['API-ID', 'a1b2c3d4e5'],
  ['STAGE', 'prod'],
  ['REGION', 'eu-west-1'],
  ['ACCOUNT', '111122223333'],
];

/** Returns the policies in `docs/policies`. */
export const policiesInDocuments = (): readonly NamedPolicy[] =>
  globSync(join(DOCUMENTS, '**/*.json')).map((file) => {
    const text = PLACEHOLDERS.reduce(
      (all, [placeholder, value]) => all.replaceAll(placeholder, value),
      readFileSync(file, 'utf8'),
    );
    return { name: `docs/policies/${relative(DOCUMENTS, file)}`, kind: 'identity', policy: JSON.parse(text) };
  });
