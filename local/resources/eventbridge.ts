import { z } from 'zod';
import { arnOf } from '../base/aws-environment.ts';
import { LocalError } from '../base/local-error.ts';
import type { BusTarget } from '../emulators/event-buses.ts';
import { readEventPattern } from '../emulators/event-pattern.ts';
import { createEventDeadLetters, createQueueTarget } from '../emulators/event-targets.ts';
import { queueUrlOf } from '../emulators/sqs/sqs.ts';
import { type CloudServices, type DeclaredResource, defineResourceType, ignored, placeOf } from './resource-type.ts';

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-events-eventbus.html */
export const eventBus = defineResourceType({
  supports: z.strictObject({ Name: z.string() }),
  withoutEffect: {
    DeadLetterConfig: 'only events that cannot be encrypted or decrypted go there, and nothing is encrypted',
    Description: 'nothing reads it',
    KmsKeyIdentifier: 'nothing is encrypted',
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
    .regex(
      /^arn:aws[a-z-]*:(sqs:|events:[^:]*:[^:]*:api-destination\/)/,
      'only queues and API destinations are supported',
    ),
  DeadLetterConfig: z.strictObject({ Arn: z.string() }).optional(),
  // Permissions are not enforced, and every delivery has three attempts.
  RoleArn: ignored,
  RetryPolicy: ignored,
});

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-events-rule.html */
export const rule = defineResourceType({
  supports: z.strictObject({
    Name: z.string().optional(),
    EventBusName: z.string(),
    EventPattern: z.record(z.string(), z.unknown()),
    State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
    Targets: z.array(target).default([]),
  }),
  withoutEffect: { Description: 'nothing reads it', Tags: 'nothing reads them' },
  create({ Name, EventBusName, EventPattern, State, Targets }, resource, cloud) {
    if (!cloud.buses.has(EventBusName)) {
      throw new LocalError(`${placeOf(resource)}: EventBusName is ${EventBusName}, which is not a bus of this stack.`);
    }
    const matches = readEventPattern(EventPattern, `${placeOf(resource)}.EventPattern`);
    const name = Name ?? cloud.physicalName(resource.logicalId);
    const ruleArn = arnOf('events', `rule/${EventBusName}/${name}`);
    const targets = Targets.map((declared) => busTarget(declared, ruleArn, resource, cloud));
    if (State === 'ENABLED') cloud.buses.addRule(EventBusName, { matches, targets });
    return { ref: name, attributes: { Arn: ruleArn } };
  },
});

const busTarget = (
  { Arn, DeadLetterConfig }: z.output<typeof target>,
  ruleArn: string,
  { logicalId }: DeclaredResource,
  { sqs, queueBaseUrl, apiDestinations }: CloudServices,
): BusTarget => ({
  name: `${logicalId}'s target ${Arn}`,
  deliver: Arn.includes(':api-destination/')
    ? (event) => apiDestinations.post(Arn, event)
    : createQueueTarget(sqs, queueUrlOf(Arn, queueBaseUrl)),
  deadLetter:
    DeadLetterConfig &&
    createEventDeadLetters(sqs, queueUrlOf(DeadLetterConfig.Arn, queueBaseUrl), { ruleArn, targetArn: Arn }),
});

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-events-connection.html */
export const connection = defineResourceType({
  supports: z.strictObject({
    Name: z.string().optional(),
    AuthorizationType: z.literal('API_KEY', 'only API_KEY is supported'),
    AuthParameters: z.strictObject({
      ApiKeyAuthParameters: z.strictObject({ ApiKeyName: z.string(), ApiKeyValue: z.string() }),
    }),
  }),
  withoutEffect: { Description: 'nothing reads it', KmsKeyIdentifier: 'nothing is encrypted' },
  create({ Name, AuthParameters }, { logicalId }, cloud) {
    const { ApiKeyName, ApiKeyValue } = AuthParameters.ApiKeyAuthParameters;
    const name = Name ?? cloud.physicalName(logicalId);
    const arn = arnOf('events', `connection/${name}`);
    cloud.apiDestinations.addConnection(arn, { header: ApiKeyName, value: secretValue(ApiKeyValue, cloud) });
    return { ref: name, attributes: { Arn: arn, ArnForPolicy: arn } };
  },
});

/**
 * Resolves a dynamic reference to a secret. Returns any other string unchanged.
 *
 * Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references-secretsmanager.html
 */
const secretValue = (value: string, { secrets }: CloudServices): string => {
  const [, id] = /^\{\{resolve:secretsmanager:(.+):SecretString:::\}\}$/.exec(value) ?? [];
  return (id === undefined ? value : secrets.find(id)?.versions[0]?.secretString) ?? '';
};

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-events-apidestination.html */
export const apiDestination = defineResourceType({
  supports: z.strictObject({
    Name: z.string().optional(),
    ConnectionArn: z.string(),
    HttpMethod: z.literal('POST', 'only POST is supported'),
    InvocationEndpoint: z.url(),
  }),
  withoutEffect: { Description: 'nothing reads it', InvocationRateLimitPerSecond: 'nothing is throttled' },
  create({ Name, ConnectionArn, InvocationEndpoint }, { logicalId }, cloud) {
    const name = Name ?? cloud.physicalName(logicalId);
    const arn = arnOf('events', `api-destination/${name}`);
    cloud.apiDestinations.add(arn, { url: InvocationEndpoint, connectionArn: ConnectionArn });
    return { ref: name, attributes: { Arn: arn, ArnForPolicy: arn } };
  },
});

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-scheduler-schedulegroup.html */
export const scheduleGroup = defineResourceType({
  supports: z.strictObject({ Name: z.string().optional() }),
  withoutEffect: { Tags: 'nothing reads them' },
  create({ Name }, { logicalId }, cloud) {
    const name = Name ?? cloud.physicalName(logicalId);
    cloud.schedules.createGroup(name);
    return { ref: name, attributes: { Arn: arnOf('scheduler', `schedule-group/${name}`), State: 'ACTIVE' } };
  },
});

const MINUTE_MS = 60_000;
const UNIT_MS: Readonly<Record<string, number>> = { minute: MINUTE_MS, hour: 60 * MINUTE_MS, day: 24 * 60 * MINUTE_MS };

const RATE = /^rate\((\d+) (minute|hour|day)s?\)$/;

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-scheduler-schedule.html */
export const schedule = defineResourceType({
  supports: z.strictObject({
    Name: z.string().optional(),
    ScheduleExpression: z.string().regex(RATE, 'only a rate in minutes, hours, or days is supported'),
    FlexibleTimeWindow: z.strictObject({ Mode: z.literal('OFF', 'flexible time windows are not supported') }),
    Target: z.strictObject({
      Arn: z.string().regex(/^arn:aws[a-z-]*:lambda:/, 'only functions are supported'),
      Input: z.string(),
      // Permissions are not enforced.
      RoleArn: ignored,
    }),
  }),
  withoutEffect: { Description: 'nothing reads it', KmsKeyArn: 'nothing is encrypted' },
  create({ Name, ScheduleExpression, Target }, { logicalId }, cloud) {
    const [, number, unit = ''] = RATE.exec(ScheduleExpression) ?? [];
    cloud.declared.recurringSchedules.push({
      logicalId,
      everyMs: Number(number) * (UNIT_MS[unit] ?? Number.NaN),
      functionArn: Target.Arn,
      input: Target.Input,
    });
    const name = Name ?? cloud.physicalName(logicalId);
    return { ref: name, attributes: { Arn: arnOf('scheduler', `schedule/default/${name}`) } };
  },
});
