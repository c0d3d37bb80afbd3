import { type KeyObject, X509Certificate } from 'node:crypto';
import type { Clock } from '../../ports.ts';
import { type httpGet, UnexpectedAnswerError } from './http-get.ts';

export interface SnsCertificatesOptions {
  readonly get: typeof httpGet;
  readonly clock: Clock;
  readonly fetchTimeoutMs: number;
}

export type FoundKey =
  | { readonly kind: 'found'; readonly publicKey: KeyObject }
  /** Amazon SNS has no such certificate, or the certificate has expired or is not valid yet. */
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unavailable' };

/** The minimum time between fetches, so that unauthenticated requests cannot cause a flood of them. */
const FETCH_INTERVAL_MS = 1_000;
/** Amazon SNS uses one certificate at a time, and two during a rotation. */
const MAX_CACHED = 10;

/** Creates a lookup of certificates' keys by URL. The caller must have checked the URL. Certificates never change. */
export const createSnsCertificates = ({ get, clock, fetchTimeoutMs }: SnsCertificatesOptions) => {
  const cached = new Map<string, X509Certificate>();
  const fetching = new Map<string, Promise<X509Certificate>>();
  let fetchFromMs = Number.NEGATIVE_INFINITY;
  const nowMs = () => Date.parse(clock.now());

  const fetchCertificate = async (url: string): Promise<X509Certificate> => {
    try {
      const certificate = parseCertificate((await get(url, fetchTimeoutMs)).text);
      if (cached.size >= MAX_CACHED) cached.clear();
      cached.set(url, certificate);
      return certificate;
    } finally {
      fetching.delete(url);
    }
  };

  const certificateAt = (url: string): Promise<X509Certificate> | X509Certificate | undefined => {
    const known = cached.get(url) ?? fetching.get(url);
    if (known !== undefined) return known;
    if (nowMs() < fetchFromMs) return undefined;
    fetchFromMs = nowMs() + FETCH_INTERVAL_MS;
    const fetched = fetchCertificate(url);
    fetching.set(url, fetched);
    return fetched;
  };

  return async (url: string): Promise<FoundKey> => {
    try {
      const certificate = await certificateAt(url);
      if (certificate === undefined) return { kind: 'unavailable' };
      const { validFromDate, validToDate, publicKey } = certificate;
      const now = nowMs();
      if (now < validFromDate.getTime() || now > validToDate.getTime()) {
        return { kind: 'invalid', reason: 'certificate expired or not yet valid' };
      }
      return { kind: 'found', publicKey };
    } catch (error) {
      // If Amazon SNS fails, the request may still be authentic. If the URL has no certificate, the request is not.
      return error instanceof UnexpectedAnswerError && error.status < 500
        ? { kind: 'invalid', reason: 'no such certificate' }
        : { kind: 'unavailable' };
    }
  };
};

const parseCertificate = (text: string): X509Certificate => {
  try {
    return new X509Certificate(text);
  } catch {
    throw new UnexpectedAnswerError('The response is not a certificate.', 200);
  }
};
