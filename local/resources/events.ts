import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import type { BusTarget } from '../events/event-buses.ts';
import { readEventPattern } from '../events/event-pattern.ts';
import { LocalError } from '../local-error.ts';
import type { CloudServices } from './cloud-services.ts';
import { type DeclaredResource, defineResourceType } from './resource-type.ts';

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-events-eventbus.html */
export const eventBus = defineResourceType({
  actsUpon: z.strictObject({ Name: z.string() }),
  withoutEffect: {
    Description: 'nothing reads it',
    KmsKeyIdentifier: 'nothing is encrypted here',
    LogConfig: 'what a target does not take is told at once',
    Tags: 'nothing reads them',
  },
  create({ Name }, _resource, cloud) {
    return { ref: Name, attributes: { Arn: cloud.buses.create(Name), Name } };
  },
});

const target = z.strictObject({
  Id: z.string(),
  Arn: z
    .string()
    .regex(/^arn:aws[a-z-]*:(sqs:|events:[^:]*:[^:]*:api-destination\/)/, 'only queues and API destinations are known'),
  DeadLetterConfig: z.strictObject({ Arn: z.string() }).optional(),
  // Permissions are not enforced here, and a target is tried three times, at once.
  RoleArn: z.unknown().optional(),
  RetryPolicy: z.unknown().optional(),
});

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-events-rule.html */
export const rule = defineResourceType({
  actsUpon: z.strictObject({
    Name: z.string().optional(),
    EventBusName: z.string(),
    EventPattern: z.record(z.string(), z.unknown()),
    State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
    Targets: z.array(target).default([]),
  }),
  withoutEffect: { Description: 'nothing reads it', Tags: 'nothing reads them' },
  create({ Name, EventBusName, EventPattern, State, Targets }, resource, cloud) {
    const { logicalId, type } = resource;
    if (!cloud.buses.has(EventBusName)) {
      throw new LocalError(`${logicalId} (${type}): EventBusName names ${EventBusName}, which is no bus of this run.`);
    }
    const matches = readEventPattern(EventPattern, `${logicalId} (${type}).EventPattern`);
    const targets = Targets.map((declared) => busTarget(declared, resource, cloud));
    if (State === 'ENABLED') cloud.buses.addRule(EventBusName, { matches, targets });
    const name = Name ?? cloud.physicalName(logicalId);
    return { ref: name, attributes: { Arn: cloud.arn('events', `rule/${EventBusName}/${name}`) } };
  },
});

const busTarget = (
  { Arn, DeadLetterConfig }: z.output<typeof target>,
  { logicalId }: DeclaredResource,
  cloud: CloudServices,
): BusTarget => {
  const toQueue = (arn: string, reason?: string) => async (MessageBody: string) => {
    const MessageAttributes = reason && { ERROR_MESSAGE: { DataType: 'String', StringValue: reason.slice(0, 500) } };
    const QueueUrl = `${cloud.queueBaseUrl}/${arn.split(':').at(-1)}`;
    await cloud.sqs.send(
      new SendMessageCommand({ QueueUrl, MessageBody, ...(MessageAttributes && { MessageAttributes }) }),
    );
  };
  return {
    name: `${logicalId}'s target ${Arn}`,
    deliver: Arn.includes(':api-destination/') ? (event) => cloud.apiDestinations.post(Arn, event) : toQueue(Arn),
    giveUp: DeadLetterConfig && ((event, reason) => toQueue(DeadLetterConfig.Arn, reason)(event)),
  };
};

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-events-connection.html */
export const connection = defineResourceType({
  actsUpon: z.strictObject({
    Name: z.string().optional(),
    AuthorizationType: z.literal('API_KEY', 'only a key in a header is known'),
    AuthParameters: z.strictObject({
      ApiKeyAuthParameters: z.strictObject({ ApiKeyName: z.string(), ApiKeyValue: z.string() }),
    }),
  }),
  withoutEffect: { Description: 'nothing reads it', KmsKeyIdentifier: 'nothing is encrypted here' },
  create({ Name, AuthParameters }, { logicalId }, cloud) {
    const { ApiKeyName, ApiKeyValue } = AuthParameters.ApiKeyAuthParameters;
    const name = Name ?? cloud.physicalName(logicalId);
    const arn = cloud.arn('events', `connection/${name}`);
    cloud.apiDestinations.addConnection(arn, { header: ApiKeyName, value: secretValue(ApiKeyValue, cloud) });
    return { ref: name, attributes: { Arn: arn, ArnForPolicy: arn } };
  },
});

/**
 * A dynamic reference to a secret of the run; any other text stands for itself.
 * Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references-secretsmanager.html
 */
const secretValue = (value: string, { secrets }: CloudServices): string => {
  const [, id] = /^\{\{resolve:secretsmanager:(.+):SecretString:::\}\}$/.exec(value) ?? [];
  return (id === undefined ? value : secrets.find(id)?.versions[0]?.secretString) ?? '';
};

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-events-apidestination.html */
export const apiDestination = defineResourceType({
  actsUpon: z.strictObject({
    Name: z.string().optional(),
    ConnectionArn: z.string(),
    HttpMethod: z.literal('POST', 'only POST is known'),
    InvocationEndpoint: z.url(),
  }),
  withoutEffect: { Description: 'nothing reads it', InvocationRateLimitPerSecond: 'nothing is throttled here' },
  create({ Name, ConnectionArn, InvocationEndpoint }, { logicalId }, cloud) {
    const name = Name ?? cloud.physicalName(logicalId);
    const arn = cloud.arn('events', `api-destination/${name}`);
    cloud.apiDestinations.add(arn, { url: InvocationEndpoint, connectionArn: ConnectionArn });
    return { ref: name, attributes: { Arn: arn, ArnForPolicy: arn } };
  },
});
