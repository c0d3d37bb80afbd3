/** A function as the template declares it. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly arn: string;
  readonly logicalId: string;
  /** Where its bundle lies. */
  readonly codeFolder: string;
  /** The module and its export, such as `index.handler`. */
  readonly handler: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly memoryMb: number;
  readonly timeoutMs: number;
  readonly reservedConcurrency?: number | undefined;
}

/** What came of one invocation: the handler's answer as JSON, or Lambda's account of why there is none. */
export type InvocationResult =
  | { readonly ok: true; readonly payload: string }
  | { readonly ok: false; readonly error: InvocationError };

/** Source: https://docs.aws.amazon.com/lambda/latest/dg/nodejs-exceptions.html */
export interface InvocationError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[] | undefined;
}

/** Runs a function with an event, given as JSON; never rejects. */
export type InvokeFunction = (event: string) => Promise<InvocationResult>;

/**
 * The largest event and the largest answer, in bytes.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html, "Invocation payload", synchronous
 */
export const PAYLOAD_LIMIT = 6 * 1024 * 1024;
