import { z } from 'zod';
import { createSignedFetch, type Signer } from './signed-fetch.ts';

/** An AWS service's API. */
export interface AwsApi extends Signer {
  /** The service's name in signatures, such as `monitoring`. */
  readonly service: string;
  readonly url: string;
}

const TIMEOUT_MS = 10_000;

/** The services that use version 1.0 of the JSON protocol; the others use 1.1. */
const JSON_1_0: readonly string[] = ['dynamodb', 'monitoring', 'sqs'];

/**
 * Calls an operation of a service with AWS's JSON protocol, and returns the body of the answer.
 *
 * Source: https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html
 *
 * @param operation with its prefix, such as `TrentService.GetKeyPolicy`
 * @throws Error with the type and the message of AWS's error
 */
export const callAws = async (api: AwsApi, operation: string, input: object): Promise<unknown> => {
  const headers = {
    'content-type': `application/x-amz-json-${JSON_1_0.includes(api.service) ? '1.0' : '1.1'}`,
    'x-amz-target': operation,
  };
  return readAnswer(await createSignedFetch(api, TIMEOUT_MS)('POST', new URL(api.url), JSON.stringify(input), headers));
};

/**
 * Gets a resource of a service with a REST API.
 *
 * @param path such as `/2016-08-19/account-settings`
 * @throws Error with the type and the message of AWS's error
 */
export const getFromAws = async (api: AwsApi, path: string): Promise<unknown> =>
  readAnswer(await createSignedFetch(api, TIMEOUT_MS)('GET', new URL(path, api.url)));

const errorBody = z
  .object({ __type: z.string().optional(), message: z.string().optional(), Message: z.string().optional() })
  .catch({});

/** The type is in the body, after a namespace, or in a header, before a URL. */
const readAnswer = async (answer: Response): Promise<unknown> => {
  const body: unknown = await answer.json().catch(() => undefined);
  if (answer.ok) return body;
  const { __type, message, Message } = errorBody.parse(body);
  const type = __type ?? answer.headers.get('x-amzn-errortype') ?? 'Error';
  const error = new Error(message ?? Message ?? `${new URL(answer.url).hostname} returned ${answer.status}`);
  error.name = type.replace(/^.*#/, '').replace(/:.*$/, '');
  throw error;
};
