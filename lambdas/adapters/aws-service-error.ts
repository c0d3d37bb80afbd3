import { parseJson } from '../domain/schema.ts';

/** An error response from an AWS service. Its `name` is the service's error code, such as `ThrottlingException`. */
export class AwsServiceError extends Error {
  override readonly name: string;
  readonly $metadata: { readonly httpStatusCode: number; readonly requestId: string | undefined };
  readonly #body: string;

  /** @param body the response body, which is not JSON if a load balancer wrote it */
  constructor(statusCode: number, requestId: string | undefined, body: string) {
    const { __type: type, message, Message } = Object(parseJson(body));
    super([message, Message].find((text) => typeof text === 'string') ?? '');
    this.name = TYPE.exec(String(type ?? ''))?.[1] ?? 'AwsServiceError';
    this.$metadata = { httpStatusCode: statusCode, requestId };
    this.#body = body;
  }

  /** The response body, which may contain personal data. */
  get body(): string {
    return this.#body;
  }
}

/** Such as `com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException`. Some services append a URL. */
const TYPE = /^(?:[^#]*#)?([A-Za-z]\w*)/;
