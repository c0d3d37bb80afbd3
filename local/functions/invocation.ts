/** A function as the template declares it. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly arn: string;
  readonly logicalId: string;
  /** The folder of its bundle. */
  readonly codeFolder: string;
  /** The module and its export, such as `index.handler`. */
  readonly handler: string;
  /** The template's environment variables. */
  readonly variables: Readonly<Record<string, string>>;
  readonly memoryMb: number;
  readonly timeoutMs: number;
  readonly reservedConcurrency?: number | undefined;
  /** The log level of a function whose logs are in JSON. Undefined for logs in plain text. */
  readonly logLevel?: string | undefined;
}

/** An alias of a function as the template declares it. */
export interface AliasDeclaration {
  readonly arn: string;
  readonly functionArn: string;
  readonly name: string;
  /** The version that it names. */
  readonly version: string;
}

/** The result of an invocation: the handler's result as JSON, or the error that Lambda reports. */
export type InvocationResult =
  | { readonly ok: true; readonly payload: string }
  | { readonly ok: false; readonly error: InvocationError };

/** Source: https://docs.aws.amazon.com/lambda/latest/dg/nodejs-exceptions.html */
export interface InvocationError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[] | undefined;
}

/** Invokes a function with an event, given as JSON. Never rejects. */
export type InvokeFunction = (event: string) => Promise<InvocationResult>;

/**
 * The maximum size of an event, and of a result, in bytes.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html, "Invocation payload", synchronous
 */
export const PAYLOAD_LIMIT = 6 * 1024 * 1024;
