import { parseJson } from '../domain/parse-json.ts';
import type { ChatServiceAnswer } from '../domain/send-outcome.ts';
import type { AccessToken, ChatService } from '../ports.ts';
import type { HttpPost } from './http-post.ts';

export interface HttpChatServiceOptions {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Of the contact check, behind `/api/v1.0/`: the segment carries the platform's name. */
  readonly contactCheckPath: string;
  readonly accessToken: AccessToken;
  readonly post: HttpPost;
}

/** The chat service over HTTP: the contract's Endpoints and Authentication. */
export const createHttpChatService = (options: HttpChatServiceOptions): ChatService => {
  const { baseUrl, contactCheckPath, accessToken, post } = options;

  const callWith = async (token: string, path: string, body: unknown): Promise<ChatServiceAnswer> => {
    const url = new URL(`${baseUrl}/api/v1.0/${path}`);
    const headers = { 'content-type': 'application/json', accept: 'application/json', 'access-token': token };
    const result = await post(url, headers, JSON.stringify(body));
    if (result.kind !== 'answered') return result;
    const { httpStatus, bodyText, retryAfter } = result;
    return { kind: 'answered', httpStatus, body: parseJson(bodyText), retryAfter };
  };

  const call = async (path: string, body: unknown): Promise<ChatServiceAnswer> => {
    const token = await reading(accessToken.read());
    if (token === undefined) return { kind: 'not-sent', cause: 'The access token could not be read.' };
    const answer = await callWith(token, path, body);
    if (answer.kind !== 'answered' || answer.httpStatus !== 401) return answer;
    // A 401 in the middle of the day means that the token was replaced by hand: nothing was sent.
    const fresh = await reading(accessToken.readAfresh(token));
    return fresh === undefined || fresh === token ? answer : callWith(fresh, path, body);
  };

  return {
    send: ({ endpoint, body }) => call(endpoint, body),
    checkContacts: (chatChannelNumber, contacts) => call(contactCheckPath, { chatChannelNumber, contacts }),
  };
};

/** A secret that is out of reach is no error: nothing was sent, and the caller's claim must not become uncertain by it. */
const reading = (token: Promise<string>): Promise<string | undefined> => token.catch(() => undefined);
