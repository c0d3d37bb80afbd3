import { z } from 'zod';
import { ACCOUNT_ID } from '../../base/aws-environment.ts';
import type { AwsRequest } from '../aws-json-server.ts';
import type { Queue } from './queue.ts';
import type { Queues } from './queues.ts';
import { invalidValue, missingParameter, SqsError, unsupported } from './sqs-error.ts';

/** The dependencies of the operations. */
export interface OperationContext {
  readonly request: AwsRequest;
  readonly queues: Queues;
  /** How long a second of a long poll takes. */
  readonly pollSecondMs: number;
  /** Waits until there may be a message to receive, for at most `ms`. */
  waitForMessage(queue: Queue, ms: number): Promise<void>;
}

export type Operation = (input: unknown, context: OperationContext) => object | Promise<object>;

/** Defines an operation. It refuses every parameter that it does not list, including those of SQS. */
export const defineOperation = <Shape extends z.ZodRawShape>(
  shape: Shape,
  run: (input: z.output<z.ZodObject<Shape, z.core.$strict>>, context: OperationContext) => object | Promise<object>,
): Operation => {
  const schema = z.strictObject(shape);
  return (input, context) => {
    const { data, error } = schema.safeParse(input);
    if (error) throw faultOf(error.issues[0], input, context.request.operation);
    return run(data, context);
  };
};

const faultOf = (issue: z.core.$ZodIssue | undefined, input: unknown, operation: string): SqsError => {
  const parameter = issue?.path.join('.') || 'request';
  if (issue?.code === 'unrecognized_keys') {
    const place = issue.path.length === 0 ? operation : `${parameter} of ${operation}`;
    return unsupported(`the parameter ${issue.keys.join(', ')} of ${place}`);
  }
  const value = issue?.path.reduce<unknown>(
    (outer, key) => (typeof outer === 'object' && outer !== null ? Reflect.get(outer, key) : undefined),
    input,
  );
  return value === undefined
    ? missingParameter(parameter)
    : invalidValue(parameter, JSON.stringify(value), `${issue?.message}.`);
};

/** Returns the URL of a queue, at the address that the client used. */
export const queueUrl = (name: string, { url }: AwsRequest): string => `${url.origin}/${ACCOUNT_ID}/${name}`;

/** @throws SqsError if there is no queue with the URL. */
export const queueAt = (url: string, { queues }: OperationContext): Queue => {
  const [account, name = ''] = url.split('/').slice(-2);
  const queue = account === ACCOUNT_ID ? queues.find(name) : undefined;
  if (queue) return queue;
  throw new SqsError('QueueDoesNotExist', 'The specified queue does not exist.');
};
