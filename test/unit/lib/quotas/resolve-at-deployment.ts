/**
 * The values of references to pseudo parameters at deployment, with the longest names.
 */
const PSEUDO_PARAMETERS: Readonly<Record<string, string>> = {
  'AWS::AccountId': '111122223333',
  'AWS::Partition': 'aws-us-gov',
  'AWS::Region': 'ap-southeast-2',
  'AWS::URLSuffix': 'amazonaws.com.cn',
  'AWS::StackId': `arn:aws:cloudformation:ap-southeast-2:111122223333:stack/${'S'.repeat(128)}/51af3dc0-da77-11e4-872e-1234567db123`,
  'AWS::StackName': 'S'.repeat(128),
};

const arn = (service: string, resource: string) => `arn:aws-us-gov:${service}:ap-southeast-2:111122223333:${resource}`;
const name = (length: number) => 'N'.repeat(length);

/**
 * The longest name that CloudFormation generates for a resource, and the ARN with it: as long as the service allows.
 *
 * Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-name.html
 */
const BY_TYPE: Readonly<Record<string, { readonly ref: string; readonly arn?: string }>> = {
  'AWS::ApiGatewayV2::Api': { ref: name(10) },
  'AWS::ApiGateway::RestApi': { ref: name(10) },
  'AWS::CloudWatch::Alarm': { ref: name(255), arn: arn('cloudwatch', `alarm:${name(255)}`) },
  'AWS::DynamoDB::Table': { ref: name(100), arn: arn('dynamodb', `table/${name(100)}`) },
  'AWS::Events::ApiDestination': { ref: name(64), arn: arn('events', `api-destination/${name(64)}/${name(36)}`) },
  'AWS::Events::EventBus': { ref: name(64), arn: arn('events', `event-bus/${name(64)}`) },
  'AWS::Events::Rule': { ref: name(64), arn: arn('events', `rule/${name(64)}`) },
  'AWS::IAM::Role': { ref: name(64), arn: `arn:aws-us-gov:iam::111122223333:role/${name(64)}` },
  'AWS::KMS::Key': { ref: name(36), arn: arn('kms', `key/${name(36)}`) },
  'AWS::Lambda::Function': { ref: name(64), arn: arn('lambda', `function:${name(64)}`) },
  'AWS::Lambda::Alias': { ref: arn('lambda', `function:${name(64)}:live`) },
  'AWS::Logs::LogGroup': { ref: name(120), arn: arn('logs', `log-group:${name(120)}:*`) },
  'AWS::Scheduler::ScheduleGroup': { ref: name(64), arn: arn('scheduler', `schedule-group/${name(64)}`) },
  'AWS::SecretsManager::Secret': { ref: arn('secretsmanager', `secret:${name(80)}-abcdef`) },
  'AWS::SQS::Queue': {
    ref: `https://sqs.ap-southeast-2.amazonaws.com/111122223333/${name(80)}`,
    arn: arn('sqs', name(80)),
  },
};

type Resources = Readonly<Record<string, { readonly Type: string }>>;

/** Returns a value with each intrinsic function replaced. A condition becomes the longer of its two values. */
export const resolveAtDeployment = (value: unknown, resources: Resources): unknown => {
  const resolve = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(resolve);
    if (typeof part !== 'object' || part === null) return part;
    const [[key = '', argument] = [], ...others] = Object.entries(part);
    if (others.length > 0) return Object.fromEntries(Object.entries(part).map(([one, item]) => [one, resolve(item)]));
    const args: readonly unknown[] = Array.isArray(argument) ? argument : [argument];
    switch (key) {
      case 'Ref': {
        const ref = String(argument);
        if (ref === 'AWS::NoValue') return undefined;
        return PSEUDO_PARAMETERS[ref] ?? BY_TYPE[resources[ref]?.Type ?? '']?.ref ?? name(64);
      }
      case 'Fn::GetAtt': {
        const type = resources[String(args[0])]?.Type ?? '';
        if (args[1] === 'StreamArn') return `${BY_TYPE[type]?.arn}/stream/2026-11-20T12:00:00.000`;
        return args[1] === 'Arn'
          ? (BY_TYPE[type]?.arn ?? arn('service', name(100)))
          : (BY_TYPE[type]?.ref ?? name(120));
      }
      case 'Fn::Join':
        return (resolve(args[1]) as readonly unknown[]).join(String(args[0]));
      case 'Fn::If': {
        const [whenTrue, whenFalse] = [resolve(args[1]), resolve(args[2])];
        const length = (one: unknown) => JSON.stringify(one)?.length ?? 0;
        return length(whenTrue) >= length(whenFalse) ? whenTrue : whenFalse;
      }
      case 'Fn::Select':
      case 'Fn::Split':
      case 'Fn::ImportValue':
        return name(64);
      default:
        return { [key]: resolve(argument) };
    }
  };
  return resolve(value);
};
