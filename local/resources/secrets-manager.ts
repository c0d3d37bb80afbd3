import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { isObject } from '../base/json.ts';
import { defineResourceType } from './resource-type.ts';

const generateSecretString = z.strictObject({
  SecretStringTemplate: z.string().optional(),
  GenerateStringKey: z.string().optional(),
  PasswordLength: z.int().min(1).max(4096).default(32),
  ExcludeCharacters: z.string().default(''),
  ExcludePunctuation: z.boolean().default(false),
});

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-secretsmanager-secret.html */
export const secret = defineResourceType({
  supports: z.strictObject({
    Name: z.string().optional(),
    SecretString: z.string().optional(),
    GenerateSecretString: generateSecretString.optional(),
  }),
  withoutEffect: {
    Description: 'nothing reads it',
    KmsKeyId: 'nothing is encrypted',
    Tags: 'nothing reads them',
  },
  create({ Name, SecretString, GenerateSecretString }, { logicalId }, cloud) {
    const name = Name ?? cloud.physicalName(logicalId);
    const arn = cloud.secrets.create(name, SecretString ?? (GenerateSecretString && generate(GenerateSecretString)));
    return { ref: arn, attributes: { Id: arn } };
  },
});

const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';
const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const generate = (options: z.output<typeof generateSecretString>): string => {
  const alphabet = [...LETTERS_AND_DIGITS, ...(options.ExcludePunctuation ? '' : PUNCTUATION)].filter(
    (character) => !options.ExcludeCharacters.includes(character),
  );
  const password = Array.from({ length: options.PasswordLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  if (options.GenerateStringKey === undefined) return password;
  const template: unknown = JSON.parse(options.SecretStringTemplate ?? '{}');
  return JSON.stringify({ ...(isObject(template) && template), [options.GenerateStringKey]: password });
};
