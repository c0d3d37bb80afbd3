import { parseJson } from '../../domain/schema.ts';
import type { ChatServiceAnswer } from '../../domain/send-outcome.ts';
import { TRACEPARENT } from '../../domain/trace-context.ts';
import type { AccessToken, CallOptions, ChatService } from '../../ports.ts';
import type { HttpPost } from './http-post.ts';
import { createRedactSecrets, redactFragments } from './redact-secrets.ts';

export interface HttpChatServiceOptions {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** The contact check's path, relative to `/api/v1.0/`. Its last segment contains the platform's name. */
  readonly contactCheckPath: string;
  readonly accessToken: AccessToken;
  readonly post: HttpPost;
}

/**
 * Creates a client that calls the chat service over HTTP, as the contract's "Endpoints" and "Authentication" specify.
 */
export const createHttpChatService = (options: HttpChatServiceOptions): ChatService => {
  const { baseUrl, contactCheckPath, accessToken, post } = options;
  const redactorOf = createRedactorCache();

  const callWith = async (
    token: string,
    path: string,
    request: unknown,
    traceparent: string | undefined,
    earlierTokens: readonly string[] = [],
  ): Promise<ChatServiceAnswer> => {
    const url = new URL(`${baseUrl}/api/v1.0/${path}`);
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      'access-token': token,
      ...(traceparent && { [TRACEPARENT]: traceparent }),
    };
    const result = await post(url, headers, JSON.stringify(request));
    if (result.kind !== 'answered') return result;
    const { httpStatus, bodyText, retryAfter, reasonPhrase } = result;
    const tokens = [token, ...earlierTokens];
    // An error may repeat the call's headers.
    const redact = redactorOf(tokens);
    const answer = { kind: 'answered' as const, httpStatus, body: redact(parseJson(bodyText)), retryAfter };
    if (httpStatus !== 401 || reasonPhrase === undefined) return answer;
    return { ...answer, tokenRefusal: redactFragments(String(redact(reasonPhrase)), tokens) };
  };

  const call = async (path: string, body: unknown, options: CallOptions = {}): Promise<ChatServiceAnswer> => {
    const { traceparent, mayRepeat = () => true } = options;
    const token = await orUndefined(accessToken.read());
    if (token === undefined) return { kind: 'not-sent', cause: 'The access token could not be read.' };
    const answer = await callWith(token, path, body, traceparent);
    if (answer.kind !== 'answered' || answer.httpStatus !== 401) return answer;
    // A 401 usually means that the token was replaced in the chat service's console. Nothing was sent; a retry is safe.
    const refreshed = await orUndefined(accessToken.refresh(token));
    if (refreshed === undefined || refreshed === token) return answer;
    if (!mayRepeat())
      return { kind: 'not-sent', cause: 'It was too late to repeat the call with the new access token.' };
    return callWith(refreshed, path, body, traceparent, [token]);
  };

  return {
    send: ({ endpoint, body }, options) => call(endpoint, body, options),
    checkContacts: (chatChannelNumber, contacts) => call(contactCheckPath, { chatChannelNumber, contacts }),
  };
};

/** Returns undefined if the secret is unavailable: nothing was sent, so the send must not become uncertain. */
const orUndefined = (token: Promise<string>): Promise<string | undefined> => token.catch(() => undefined);

/** Keeps the latest function, because building one takes about a millisecond and the token rarely changes. */
const createRedactorCache = () => {
  let latest: { readonly key: string; readonly redact: ReturnType<typeof createRedactSecrets> } | undefined;
  return (tokens: readonly string[]) => {
    // A token is in a header, so it contains no line break.
    const key = tokens.join('\n');
    if (latest?.key !== key) latest = { key, redact: createRedactSecrets(tokens) };
    return latest.redact;
  };
};
