import { z } from 'zod';
import { arnOf } from '../base/aws-environment.ts';
import { LocalError } from '../base/local-error.ts';
import { type CloudServices, type DeclaredResource, defineResourceType, placeOf } from './resource-type.ts';

/** The number of the only version of a function. A local run never changes a function. */
const VERSION = '1';

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-lambda-version.html */
export const version = defineResourceType({
  supports: z.strictObject({ FunctionName: z.string() }),
  withoutEffect: { Description: 'nothing reads it' },
  create({ FunctionName }, resource, cloud) {
    const functionArn = `${arnOfFunction(FunctionName, resource, cloud)}:${VERSION}`;
    return { ref: functionArn, attributes: { FunctionArn: functionArn, Version: VERSION } };
  },
});

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-lambda-alias.html */
export const alias = defineResourceType({
  supports: z.strictObject({
    FunctionName: z.string(),
    FunctionVersion: z.literal(VERSION, 'a function has only the version 1'),
    Name: z.string(),
  }),
  withoutEffect: { Description: 'nothing reads it' },
  create({ FunctionName, FunctionVersion, Name }, resource, cloud) {
    const functionArn = arnOfFunction(FunctionName, resource, cloud);
    const arn = `${functionArn}:${Name}`;
    cloud.declared.aliases.push({ arn, functionArn, name: Name, version: FunctionVersion });
    return { ref: arn, attributes: { AliasArn: arn } };
  },
});

const arnOfFunction = (nameOrArn: string, resource: DeclaredResource, { declared }: CloudServices): string => {
  const found = declared.functions.find(({ name, arn }) => nameOrArn === name || nameOrArn === arn);
  if (found) return found.arn;
  throw new LocalError(
    `${placeOf(resource)}: FunctionName is ${nameOrArn}, which is not a function of this stack, such as ${arnOf('lambda', 'function:NAME')}.`,
  );
};
