import type { SignedFetch } from './signed-fetch.ts';

/** The management API said no, or could not be asked. */
export class ManagementProblem extends Error {
  override readonly name = 'ManagementProblem';
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** The answer's code, such as `SEND_NOT_FOUND`; `FORBIDDEN` when the call was not let in; `UNREACHABLE` without an answer. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Calls the management API: parsed JSON, or a {@link ManagementProblem}. */
export type ManagementClient = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) => Promise<unknown>;

export const createManagementClient =
  (managementUrl: string, signedFetch: SignedFetch): ManagementClient =>
  async (method, path, body) => {
    const url = new URL(`${managementUrl}${path}`);
    const response = await answerOf(signedFetch, method, url, body === undefined ? undefined : JSON.stringify(body));
    const text = await response.text();
    const answer = parsed(text);
    if (response.ok && answer !== undefined) return answer;
    const { code, message } = readProblem(answer);
    if (response.status === 403) {
      throw new ManagementProblem(403, 'FORBIDDEN', `${url.origin} did not let ${method} ${url.pathname} in`);
    }
    throw new ManagementProblem(
      response.status,
      code ?? 'UNEXPECTED',
      message ?? `${url.origin} answered ${method} ${url.pathname} with ${response.status}`,
    );
  };

const answerOf = async (signedFetch: SignedFetch, method: string, url: URL, body: string | undefined) => {
  try {
    return await signedFetch(method, url, body);
  } catch (error) {
    // Credentials fail before the call, and say so better themselves.
    if (!(error instanceof Error) || !['TypeError', 'TimeoutError'].includes(error.name)) throw error;
    throw new ManagementProblem(0, 'UNREACHABLE', `${url.origin} does not answer`);
  }
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const readProblem = (answer: unknown): { readonly code?: string; readonly message?: string } => {
  if (typeof answer !== 'object' || answer === null) return {};
  const { code, message } = { code: undefined, message: undefined, ...answer };
  return {
    ...(typeof code === 'string' && { code }),
    ...(typeof message === 'string' && { message }),
  };
};
