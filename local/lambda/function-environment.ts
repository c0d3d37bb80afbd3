import type { FunctionDeclaration } from './function-declaration.ts';

/** What the cloud around a function adds to its own variables. */
export interface FunctionSurroundings {
  readonly region: string;
  /** `host:port` of the Runtime API. */
  readonly runtimeApi: string;
  /** Where the function's code lies. */
  readonly taskRoot: string;
  /** Credentials and emulator addresses, as any AWS SDK reads them. */
  readonly awsVariables: Readonly<Record<string, string>>;
}

/**
 * The whole environment of a function's process: what the template gives and what Lambda itself sets; nothing of the
 * environment of whoever started the run.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html, "Defined runtime environment variables"
 */
export const functionEnvironment = (
  declaration: FunctionDeclaration,
  surroundings: FunctionSurroundings,
): Record<string, string> => ({
  ...declaration.variables,
  _HANDLER: declaration.handler,
  AWS_DEFAULT_REGION: surroundings.region,
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(declaration.memoryMb),
  AWS_LAMBDA_FUNCTION_NAME: declaration.name,
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${declaration.name}`,
  AWS_LAMBDA_LOG_STREAM_NAME: 'local',
  AWS_LAMBDA_RUNTIME_API: surroundings.runtimeApi,
  AWS_REGION: surroundings.region,
  LAMBDA_TASK_ROOT: surroundings.taskRoot,
  LANG: 'en_US.UTF-8',
  PATH: '/usr/local/bin:/usr/bin:/bin',
  TZ: ':UTC',
  ...surroundings.awsVariables,
});
