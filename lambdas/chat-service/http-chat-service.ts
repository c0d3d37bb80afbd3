import { parseJson } from '../domain/parse-json.ts';
import type { SendCall } from '../domain/send-decision.ts';
import type { ChatServiceAnswer } from '../domain/send-outcome.ts';
import type { AccessToken, ChatService } from '../ports.ts';
import type { HttpPost } from './http-post.ts';

export interface HttpChatServiceOptions {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly accessToken: AccessToken;
  readonly post: HttpPost;
}

/** The chat service over HTTP: the contract's Endpoints and Authentication. */
export const createHttpChatService = ({ baseUrl, accessToken, post }: HttpChatServiceOptions): ChatService => {
  const call = async ({ endpoint, body }: SendCall, token: string): Promise<ChatServiceAnswer> => {
    const url = new URL(`${baseUrl}/api/v1.0/${endpoint}`);
    const headers = { 'content-type': 'application/json', accept: 'application/json', 'access-token': token };
    const result = await post(url, headers, JSON.stringify(body));
    if (result.kind !== 'answered') return result;
    const { httpStatus, bodyText, retryAfter } = result;
    return { kind: 'answered', httpStatus, body: parseJson(bodyText), retryAfter };
  };

  return {
    async send(sendCall) {
      const token = await accessToken.read();
      const answer = await call(sendCall, token);
      if (answer.kind !== 'answered' || answer.httpStatus !== 401) return answer;
      // A 401 in the middle of the day means that the token was replaced by hand: nothing was sent.
      const fresh = await accessToken.readAfresh(token);
      return fresh === token ? answer : call(sendCall, fresh);
    },
  };
};
