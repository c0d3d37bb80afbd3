import { LoggableError } from './errors.ts';

/** What may be logged about an error. */
export interface DescribedError {
  readonly name: string;
  /** The code of a network error, such as `ECONNREFUSED`. */
  readonly code?: string;
  /** The HTTP status of an AWS service's answer. */
  readonly httpStatus?: number;
  /** The AWS service's id of the request, for AWS Support. */
  readonly awsRequestId?: string;
  /** The action that IAM denied, such as `sqs:SendMessage`. */
  readonly deniedAction?: string;
  /** Only of Parley's own errors. */
  readonly message?: string;
  /** Without the message, which would come first. */
  readonly stack?: readonly string[];
  readonly cause?: DescribedError;
}

const MAX_CAUSES = 3;
const MAX_FRAMES = 10;

/**
 * Describes an error without its message, in which an AWS service, a library, or Node.js may quote an item, a request,
 * or a number. The messages of Parley's own errors quote nothing.
 */
export const describeError = (error: unknown, causes = MAX_CAUSES): DescribedError => {
  if (!(error instanceof Error)) return { name: typeof error };
  const { message, cause } = error;
  const { code, $metadata } = { code: undefined, $metadata: undefined, ...error };
  const { httpStatusCode, requestId } = Object($metadata);
  const stack = framesOf(error);
  return {
    name: identifier(error.name) ?? 'Error',
    code: identifier(code),
    httpStatus: typeof httpStatusCode === 'number' ? httpStatusCode : undefined,
    awsRequestId: identifier(requestId),
    deniedAction: DENIED_ACTION.exec(message)?.[1],
    message: error instanceof LoggableError ? message : undefined,
    stack: stack.length > 0 ? stack : undefined,
    cause: cause instanceof Error && causes > 0 ? describeError(cause, causes - 1) : undefined,
  };
};

/** Describes an error in a few words, such as `ThrottlingException, HTTP 400`, for use outside of logs. */
export const summarizeError = (error: unknown): string => {
  const { name, code, httpStatus, deniedAction, message } = describeError(error);
  const status = httpStatus === undefined ? undefined : `HTTP ${httpStatus}`;
  const isNamed = name !== 'Error' || (code === undefined && message === undefined);
  const parts = [isNamed ? name : undefined, code, status, deniedAction];
  const words = [...new Set(parts.filter((part) => part !== undefined))].join(', ');
  return [words, message].filter((part) => part).join(': ');
};

/** The format of an error's name, code, or id. */
const IDENTIFIER = /^[A-Za-z0-9][\w.-]{0,79}$/;

const identifier = (value: unknown): string | undefined =>
  typeof value === 'string' && IDENTIFIER.test(value) ? value : undefined;

/** Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html */
const DENIED_ACTION = /is not authorized to perform: ([a-z0-9-]{1,40}:[A-Za-z]{1,80})\b/;

/** A stack starts with the message, which may have several lines. */
const FRAME = /^\s+at [\w$.<>[\] #]*\(?(?:file|node|async|\/)[^\s()]*:\d+:\d+\)?$/;

const framesOf = ({ stack, message }: Error): readonly string[] => {
  if (typeof stack !== 'string') return [];
  const start = stack.indexOf(message);
  return stack
    .slice(start < 0 ? 0 : start + message.length)
    .split('\n')
    .filter((line) => FRAME.test(line))
    .map((line) => line.trim())
    .slice(0, MAX_FRAMES);
};
