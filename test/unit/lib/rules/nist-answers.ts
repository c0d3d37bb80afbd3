/** An answer to a finding of the NIST 800-53 pack. */
export type NistAnswer =
  /** Settings with which a stage has no such finding. */
  | { readonly kind: 'setting'; readonly settings: readonly string[]; readonly why: string }
  /** Why the control is met in another way, or does not apply. */
  | { readonly kind: 'reason'; readonly why: string };

/** The answer to every finding, by rule. A finding without an answer fails a test, and so does an answer without a finding. */
export const NIST_ANSWERS: Readonly<Record<string, NistAnswer>> = {
  APIGWAssociatedWithWAF: {
    kind: 'reason',
    why:
      'The API of a stage with buffered ingress accepts only POST requests of bounded size on two paths, and passes their ' +
      'content to a queue as data. Requests without a valid signature or token are dropped; nothing of them is stored in ' +
      'the table or logged. The setting webhook.throttle limits their rate. You can associate a web ACL with the API by its ARN.',
  },
  APIGWCacheEnabledAndEncrypted: {
    kind: 'reason',
    why: 'The API only takes requests. There are no responses to cache, so nothing is cached unencrypted.',
  },
  APIGWExecutionLoggingEnabled: {
    kind: 'reason',
    why:
      'Logs of a REST API need a role that all APIs of the account and region share, which a stack must not set. With the ' +
      'direct ingress, which is the default, the webhook has an access log. With the buffered ingress, CloudWatch counts ' +
      'the requests and their answers, and the function logs what it did with each request. Execution logs would also ' +
      'contain the credentials and the content of the requests.',
  },
  APIGWSSLEnabled: {
    kind: 'reason',
    why:
      'A client certificate would let the endpoint behind the API verify that requests come from API Gateway. The ' +
      'endpoint is SQS, which verifies the signature of the role instead, over HTTPS.',
  },
  CloudWatchAlarmAction: {
    kind: 'setting',
    settings: ['alarmTopicArn'],
    why:
      'Alarms notify the SNS topic that the setting names, when they start and when they end. Without it, only ' +
      'CloudWatch shows them. Parley does not create the topic, because who is notified is decided per organization, ' +
      'not per stack.',
  },
  CloudWatchLogGroupEncrypted: {
    kind: 'setting',
    settings: ['customerManagedKey'],
    why:
      'With the setting, every log group is encrypted with the customer managed key of the stage. Without it, CloudWatch ' +
      'Logs encrypts them with a key that AWS owns. In either case, logs contain no message content.',
  },
  DynamoDBInBackupPlan: {
    kind: 'reason',
    why:
      'The table has point-in-time recovery, a continuous backup from which it can be restored to any second of the last ' +
      '35 days; in a production stage, it also has deletion protection and outlives the stack. A longer backup would ' +
      "keep the data of users who asked for erasure. If your organization's policy requires AWS Backup, select the table " +
      'in a backup plan by its ARN or by a tag; nothing in the stack has to change.',
  },
  IAMNoInlinePolicy: {
    kind: 'reason',
    why:
      'The control requires permissions to be managed and reviewed in one place, which is the stack: each role ' +
      'belongs to one function or one service, its policy is written out action by action in the template, and a test ' +
      'fails on any statement that is added or widened. A managed policy could also be attached to other principals, and an ' +
      'inline policy cannot; AWS recommends inline policies for such a strict one-to-one relationship.',
  },
  LambdaConcurrency: {
    kind: 'setting',
    settings: [
      'reservedConcurrency.receive',
      'reservedConcurrency.send',
      'reservedConcurrency.publish',
      'reservedConcurrency.manage',
    ],
    why:
      'The setting reserves concurrency for each function. It is off by default, because the deployment fails in an ' +
      'account with a low concurrency quota, which many new accounts have. Without it, the event source mappings of ' +
      "the queues have a maximum concurrency, so that a backlog cannot use up the webhook's share.",
  },
  LambdaDLQ: {
    kind: 'reason',
    why:
      "The rule checks a function's dead-letter queue, which Lambda uses only for asynchronous invocations. API Gateway " +
      'invokes the functions synchronously, and event source mappings invoke them with batches, whose failures go to the ' +
      'dead-letter queue of the source or to the queue for publish failures. Only schedules invoke a function ' +
      'asynchronously, with a constant input: Lambda retries it twice, the alarm ManageErrors reports a failure, and the ' +
      'next run does the same work, so there is nothing to keep.',
  },
  LambdaInsideVPC: {
    kind: 'reason',
    why:
      'The functions use no resource inside a VPC. They call AWS services, whose endpoints require signed requests, and ' +
      'the chat service, which is on the internet, so a VPC would need a NAT gateway to let the same traffic out. A ' +
      'function accepts no connections in either case. What it may reach in AWS is limited by its role, and the chat ' +
      "service's address is fixed at deployment. An organization that requires its own egress filter can pass a VPC to the " +
      'stack; see docs/existing-resources.md.',
  },
  SecretsManagerRotationEnabled: {
    kind: 'reason',
    why:
      'Each secret is shared with another party that must get a new value at the same time and has no API for that: ' +
      "the chat service's console issues the access token, the publish/subscribe system holds the webhook secret, and " +
      'the receiver of events holds the key of a target. The webhook accepts several secrets, one per line, so that you can ' +
      'rotate without an outage, and parley token set replaces the token, which functions read again after a 401.',
  },
  SecretsManagerUsingKMSKey: {
    kind: 'setting',
    settings: ['customerManagedKey'],
    why:
      'With the setting, every secret is encrypted with the customer managed key of the stage. Without it, Secrets ' +
      'Manager encrypts them with the AWS managed key aws/secretsmanager.',
  },
};
