import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { ACCOUNT_ID, REGION } from '../base/aws-environment.ts';

/** The signer of a request, as passed to functions in `requestContext.authorizer.iam`. */
export interface IamIdentity {
  readonly accessKey: string;
  readonly accountId: string;
  readonly callerId: string;
  readonly cognitoIdentity: null;
  readonly principalOrgId: null;
  readonly userArn: string;
  readonly userId: string;
}

/** The keys of the only principal of a local run. */
export interface PrincipalCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8})\/([^/,\s]+)\/([^/,\s]+)\/aws4_request,\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})$/;

/** Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
const MAX_SKEW_MS = 5 * 60 * 1000;

/**
 * Returns who signed a request. Verifies the signature by signing the request again with the principal's keys. Does not
 * check permissions.
 *
 * @param times The current times of the callers.
 * @returns undefined if the signature is missing, invalid, made with other keys, or more than five minutes older or
 * newer than each of the times.
 */
export const authenticate = async (
  request: IncomingMessage,
  body: Buffer,
  credentials: PrincipalCredentials,
  times: readonly Date[],
): Promise<IamIdentity | undefined> => {
  const { authorization = '', 'x-amz-date': date, host } = request.headers;
  const [, accessKeyId, day, region = '', service = '', signedHeaders = '', signature = ''] =
    AUTHORIZATION.exec(authorization) ?? [];
  if (accessKeyId !== credentials.accessKeyId || service !== 'execute-api' || region !== REGION) return undefined;
  const signingDate = readAmzDate(date);
  if (!signingDate) return undefined;
  if (times.every((now) => Math.abs(signingDate.getTime() - now.getTime()) > MAX_SKEW_MS)) return undefined;
  if (!String(date).startsWith(day ?? '') || !signedHeaders.split(';').includes('host')) return undefined;
  if (!matchesDigest(request.headers['x-amz-content-sha256'], body)) return undefined;
  const expected = await sign(request, body, host ?? '', signedHeaders.split(';'), credentials, signingDate);
  return timingSafeEqual(Buffer.from(expected), Buffer.from(signature)) ? identityOf(credentials) : undefined;
};

const matchesDigest = (digest: string | string[] | undefined, body: Buffer): boolean =>
  digest === undefined || digest === createHash('sha256').update(body).digest('hex');

const sign = async (
  request: IncomingMessage,
  body: Buffer,
  hostname: string,
  signedHeaders: readonly string[],
  credentials: PrincipalCredentials,
  signingDate: Date,
): Promise<string> => {
  const { pathname, searchParams } = rawUrl(request.url ?? '/');
  const signer = new SignatureV4({
    service: 'execute-api',
    region: REGION,
    credentials,
    sha256: Sha256,
    // Some clients also send the body's digest as a header.
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

/** Splits a URL without normalizing its path. `URL` would remove dot segments. */
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

const identityOf = ({ accessKeyId }: PrincipalCredentials): IamIdentity => ({
  accessKey: accessKeyId,
  accountId: ACCOUNT_ID,
  callerId: accessKeyId,
  cognitoIdentity: null,
  principalOrgId: null,
  userArn: `arn:aws:iam::${ACCOUNT_ID}:user/local`,
  userId: accessKeyId,
});
