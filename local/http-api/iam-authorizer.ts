import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';

/** What is known of whoever signed a request, as a function receives it in `requestContext.authorizer.iam`. */
export interface IamIdentity {
  readonly accessKey: string;
  readonly accountId: string;
  readonly callerId: string;
  readonly cognitoIdentity: null;
  readonly principalOrgId: null;
  readonly userArn: string;
  readonly userId: string;
}

/** The one principal of a local run. */
export interface LocalPrincipal {
  readonly accountId: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8})\/([^/,\s]+)\/([^/,\s]+)\/aws4_request,\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})$/;

/** Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
const SKEW_MS = 5 * 60 * 1000;

/**
 * Tells who signed a request, by signing it again with the run's credentials: AWS's own library on both sides.
 *
 * Permissions are not looked at, as nowhere in the local run; a test evaluates the documented policies.
 *
 * @param now The machine's time: whoever signs does not know of the run's moved clock.
 * @returns Nothing when the signature is missing, another's, old, or of other headers or another body.
 */
export const iamIdentity = async (
  request: IncomingMessage,
  body: Buffer,
  principal: LocalPrincipal,
  now: Date,
): Promise<IamIdentity | undefined> => {
  const { authorization = '', 'x-amz-date': date, host } = request.headers;
  const [, accessKeyId, day, region = '', service = '', signedHeaders = '', signature = ''] =
    AUTHORIZATION.exec(authorization) ?? [];
  if (accessKeyId !== principal.accessKeyId || service !== 'execute-api' || region !== principal.region)
    return undefined;
  const signingDate = readAmzDate(date);
  if (!signingDate || Math.abs(signingDate.getTime() - now.getTime()) > SKEW_MS) return undefined;
  if (!String(date).startsWith(day ?? '') || !signedHeaders.split(';').includes('host')) return undefined;
  if (!tellsDigestOf(request.headers['x-amz-content-sha256'], body)) return undefined;
  const expected = await sign(request, body, host ?? '', signedHeaders.split(';'), principal, signingDate);
  return timingSafeEqual(Buffer.from(expected), Buffer.from(signature)) ? identityOf(principal) : undefined;
};

const tellsDigestOf = (told: string | string[] | undefined, body: Buffer): boolean =>
  told === undefined || told === createHash('sha256').update(body).digest('hex');

const sign = async (
  request: IncomingMessage,
  body: Buffer,
  hostname: string,
  signedHeaders: readonly string[],
  { accessKeyId, secretAccessKey, region }: LocalPrincipal,
  signingDate: Date,
): Promise<string> => {
  const { pathname, searchParams } = rawUrl(request.url ?? '/');
  const signer = new SignatureV4({
    service: 'execute-api',
    region,
    credentials: { accessKeyId, secretAccessKey },
    sha256: Sha256,
    // Whether the body's digest is a header as well is the client's choice.
    applyChecksum: signedHeaders.includes('x-amz-content-sha256'),
  });
  const headers = Object.fromEntries(
    signedHeaders
      .filter((name) => name !== 'x-amz-content-sha256')
      .map((name) => [name, request.headersDistinct[name]?.join(',') ?? '']),
  );
  const query = Object.fromEntries([...new Set(searchParams.keys())].map((name) => [name, searchParams.getAll(name)]));
  const signed = await signer.sign(
    { method: request.method ?? 'GET', protocol: 'http:', hostname, path: pathname, query, headers, body },
    { signingDate, signableHeaders: new Set(signedHeaders) },
  );
  return AUTHORIZATION.exec(signed.headers.authorization ?? '')?.[6] ?? ''.padEnd(64, '-');
};

/** The path as it was written: `URL` would take out its dots. */
const rawUrl = (url: string) => {
  const [pathname = '/', ...query] = url.split('?');
  return { pathname, searchParams: new URLSearchParams(query.join('?')) };
};

const readAmzDate = (value: string | string[] | undefined): Date | undefined => {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(value)) ?? [];
  const [year, month, day, hour, minute, second] = parts;
  if (second === undefined) return undefined;
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(date.getTime()) ? undefined : date;
};

const identityOf = ({ accountId, accessKeyId }: LocalPrincipal): IamIdentity => ({
  accessKey: accessKeyId,
  accountId,
  callerId: accessKeyId,
  cognitoIdentity: null,
  principalOrgId: null,
  userArn: `arn:aws:iam::${accountId}:user/local`,
  userId: accessKeyId,
});
