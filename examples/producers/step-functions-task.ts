/**
 * A state machine that sends a message and waits for the outcome.
 *
 *   new ShipmentProcess(this, 'Shipment', { sendQueue: parley.sender.sendQueue, managementApi: parley.management.api });
 *
 * See examples/app.ts for an app that deploys it. The input:
 *
 *   { "shipmentId": "shipment-1042", "phone": "+5491150000001", "text": "On its way.", "sendBefore": "2026-12-01T12:00:00Z" }
 *
 * A task can run twice, so `shipmentId` is the request ID and the deduplication ID. The state machine polls the management
 * API for the outcome, so it needs no function, no table of task tokens, and no event that could be missed. Parley gives
 * up at `sendBefore`, so the state machine ends soon after that at the latest.
 */
import { Duration, Stack } from 'aws-cdk-lib';
import type { IHttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import {
  Choice,
  Condition,
  DefinitionBody,
  Fail,
  JsonPath,
  StateMachine,
  Succeed,
  TaskInput,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions';
import {
  AuthType,
  CallApiGatewayHttpApiEndpoint,
  HttpMethod,
  SqsSendMessage,
} from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';

export interface ShipmentProcessProps {
  /** Parley's send queue. */
  readonly sendQueue: IQueue;
  /** Parley's management API. */
  readonly managementApi: IHttpApi;
}

const NOT_SENT = ['refused', 'rejected', 'failed', 'expired', 'cancelled', 'uncertain'];

export class ShipmentProcess extends Construct {
  readonly stateMachine: StateMachine;

  constructor(scope: Construct, id: string, { sendQueue, managementApi }: ShipmentProcessProps) {
    super(scope, id);
    const requestId = JsonPath.stringAt('$.shipmentId');
    const queue = new SqsSendMessage(this, 'Queue the message', {
      queue: sendQueue,
      messageGroupId: JsonPath.stringAt('$.phone'),
      messageDeduplicationId: requestId,
      messageBody: TaskInput.fromObject({
        requestId,
        platformContactId: JsonPath.stringAt('$.phone'),
        messageText: JsonPath.stringAt('$.text'),
        notAfter: JsonPath.stringAt('$.sendBefore'),
      }),
      resultPath: JsonPath.DISCARD,
    });
    queue.addRetry({ maxAttempts: 5 });
    const read = new CallApiGatewayHttpApiEndpoint(this, 'Read its state', {
      apiId: managementApi.apiId,
      apiStack: Stack.of(managementApi),
      method: HttpMethod.GET,
      // The ID is in the query, where Step Functions encodes it.
      apiPath: '/v1/sends/-',
      queryParameters: TaskInput.fromObject({ requestId: JsonPath.array(requestId) }),
      authType: AuthType.IAM_ROLE,
      resultSelector: { state: JsonPath.stringAt('$.ResponseBody.state') },
      resultPath: '$.send',
    });
    // 404 until Parley has taken the request from the queue; otherwise, the API is throttled or fails.
    read.addRetry({ interval: Duration.seconds(2), backoffRate: 2, maxAttempts: 8 });
    const wait = new Wait(this, 'Wait', { time: WaitTime.duration(Duration.seconds(5)) });
    const sent = new Succeed(this, 'Sent');
    const notSent = new Fail(this, 'Not sent', { error: 'NotSent', causePath: JsonPath.stringAt('$.send.state') });
    const isNotSent = Condition.or(...NOT_SENT.map((state) => Condition.stringEquals('$.send.state', state)));
    const decide = new Choice(this, 'Is it sent?')
      .when(Condition.stringEquals('$.send.state', 'accepted'), sent)
      .when(isNotSent, notSent)
      .otherwise(wait);
    this.stateMachine = new StateMachine(this, 'StateMachine', {
      definitionBody: DefinitionBody.fromChainable(queue.next(wait).next(read).next(decide)),
    });
    // The permission that the task grants itself does not name the stage of an HTTP API.
    this.stateMachine.addToRolePolicy(
      new PolicyStatement({
        actions: ['execute-api:Invoke'],
        resources: [managementApi.arnForExecuteApi('GET', '/v1/sends/*', '$default')],
      }),
    );
  }
}
