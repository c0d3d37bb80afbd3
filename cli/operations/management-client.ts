import { z } from 'zod';
import type { Fault } from '../../lambdas/domain/faults.ts';
import { parseJson } from '../../lambdas/domain/schema.ts';
import type { SignedFetch } from './signed-fetch.ts';

/** An error response of the management API, or no response at all. */
export class ManagementError extends Error {
  override readonly name = 'ManagementError';
  /** The HTTP status, or 0 without a response. */
  readonly status: number;
  /**
   * The response's code, such as `SEND_NOT_FOUND`; `FORBIDDEN` when IAM denied the call, `UNREACHABLE` without a
   * response, and `UNEXPECTED` for any other response.
   */
  readonly code: string;

  /** What is wrong with the fields of an invalid request. */
  readonly faults: readonly Fault[];

  constructor(status: number, code: string, message: string, faults: readonly Fault[] = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.faults = faults;
  }
}

/** A body that is JSON already, and must not be changed by serializing it again. */
export class JsonText {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/**
 * Calls the management API and returns the parsed JSON.
 *
 * @throws ManagementError for an error response, or without a response.
 */
export type ManagementClient = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) => Promise<unknown>;

export const createManagementClient =
  (managementUrl: string, signedFetch: SignedFetch): ManagementClient =>
  async (method, path, body) => {
    const url = new URL(`${managementUrl}${path}`);
    const text = body instanceof JsonText ? body.json : body === undefined ? undefined : JSON.stringify(body);
    const response = await request(signedFetch, method, url, text);
    const json = parseJson(await response.text());
    if (response.ok && json !== undefined) return json;
    if (response.status === 403) {
      throw new ManagementError(403, 'FORBIDDEN', `${url.origin} denied ${method} ${url.pathname}`);
    }
    const { code = 'UNEXPECTED', message, faults } = problem.parse(json);
    throw new ManagementError(
      response.status,
      code,
      message ?? `${url.origin} returned ${response.status} for ${method} ${url.pathname}`,
      faults,
    );
  };

const request = async (signedFetch: SignedFetch, method: string, url: URL, body: string | undefined) => {
  try {
    return await signedFetch(method, url, body);
  } catch (error) {
    // Other errors come from the credentials provider, before the call.
    if (!(error instanceof Error) || !['TypeError', 'TimeoutError'].includes(error.name)) throw error;
    throw new ManagementError(0, 'UNREACHABLE', `${url.origin} does not respond`);
  }
};

const problem = z
  .object({
    code: z.string().optional(),
    message: z.string().optional(),
    faults: z.array(z.object({ field: z.string(), fault: z.string(), value: z.string().optional() })).optional(),
  })
  .catch({});
