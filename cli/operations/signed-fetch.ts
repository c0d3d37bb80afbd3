import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';

/** AWS credentials that sign requests. */
export interface SigningCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface Signer {
  /** @default execute-api */
  readonly service?: string;
  readonly region: string;
  readonly credentials: () => Promise<SigningCredentials>;
}

/** @param headers to sign and send, in lower case; by default, the content type JSON for a request with a body */
export type SignedFetch = (
  method: string,
  url: URL,
  body?: string,
  headers?: Readonly<Record<string, string>>,
) => Promise<Response>;

/**
 * Creates a `fetch` that signs every request with Signature Version 4, by default for an API Gateway API with IAM
 * authorization.
 *
 * Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-access-control-iam.html
 */
export const createSignedFetch = (
  { service = 'execute-api', region, credentials }: Signer,
  timeoutMs: number,
): SignedFetch => {
  const signer = new SignatureV4({ service, region, credentials, sha256: Sha256 });
  return async (method, url, body, extra = body === undefined ? {} : { 'content-type': 'application/json' }) => {
    const query = Object.fromEntries(
      [...new Set(url.searchParams.keys())].map((name) => [name, url.searchParams.getAll(name)]),
    );
    const signed = await signer.sign({
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query,
      headers: { host: url.host, ...extra },
      body,
    });
    // fetch sets the host header itself, to the value that was signed.
    const { host: _, ...headers } = signed.headers;
    return fetch(url, { method, headers, body, signal: AbortSignal.timeout(timeoutMs), redirect: 'error' });
  };
};
