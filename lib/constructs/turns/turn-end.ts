import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { z } from 'zod';
import { seconds } from '../../../lambdas/domain/duration.ts';
import type { TurnEnvironment } from '../../../lambdas/publish/turns/environment.ts';
import { MAX_TURN_INVOCATIONS, type turnSettings } from '../../settings/turn-settings.ts';
import {
  DeadLetteredQueue,
  type DeadLetterQueue,
  grantSendMessage,
  recommendedVisibilityTimeout,
} from '../dead-lettered-queue.ts';
import type { ParleyFunction } from '../parley-function.ts';
import { serviceUrl } from '../service-url.ts';
import { partOf } from '../stage-role.ts';
import { grantItemActions } from '../table.ts';

/** Properties of a {@link TurnEnd}. */
export interface TurnEndProps {
  readonly turns: z.output<typeof turnSettings>;
  readonly table: ITable;
  readonly retentionDays: TurnEnvironment['RETENTION_DAYS'];
  /** The timeout of the function that ends turns. */
  readonly timeout: Duration;
  /** Where a turn goes that cannot be ended. */
  readonly deadLetters: DeadLetterQueue;
  readonly removalPolicy: RemovalPolicy;
  readonly encryptionKey: IKey | undefined;
}

/** What a publisher needs to end turns: the turn queue, and the function's variables and permissions. */
export class TurnEnd {
  /** Where open turns wait until the silence is over. */
  readonly queue: DeadLetteredQueue;
  /** How long a user must be silent before a turn ends. */
  readonly silence: Duration;
  /** What the function `publish` needs for turns. */
  readonly environment: TurnEnvironment;
  readonly #table: ITable;

  constructor(publisher: Construct, { turns, table, timeout, retentionDays, ...queueProps }: TurnEndProps) {
    this.#table = table;
    this.silence = Duration.seconds(turns.silenceSeconds);
    this.queue = new DeadLetteredQueue(publisher, 'TurnQueue', {
      ...queueProps,
      visibilityTimeout: recommendedVisibilityTimeout(timeout),
    });
    this.environment = {
      TURN_QUEUE_URL: this.queue.queueUrl,
      TURN_SILENCE_SECONDS: seconds(turns.silenceSeconds),
      TABLE_NAME: table.tableName,
      AWS_ENDPOINT_URL_DYNAMODB: serviceUrl(publisher, 'dynamodb'),
      RETENTION_DAYS: retentionDays,
    };
  }

  /** Lets the function put turns on the queue, end them, and read their messages. */
  connect(handler: ParleyFunction): void {
    const turns = partOf(handler, 'Turns');
    grantSendMessage(turns, this.queue);
    grantItemActions(this.#table, turns, ['dynamodb:DeleteItem'], ['CONTACT#*']);
    grantItemActions(this.#table, turns, ['dynamodb:BatchGetItem'], ['MESSAGE#*']);
    this.queue.addConsumer(handler.live, MAX_TURN_INVOCATIONS, turns);
  }
}
