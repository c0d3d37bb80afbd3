import { type KeyObject, X509Certificate } from 'node:crypto';
import type { Clock } from '../../ports.ts';
import { type httpGet, UnexpectedAnswer } from './http-get.ts';

export interface SnsCertificatesOptions {
  readonly get: typeof httpGet;
  readonly clock: Clock;
  /** What one fetch may take: the webhook answers within two seconds. */
  readonly fetchTimeoutMs: number;
}

export type FoundKey =
  | { readonly kind: 'found'; readonly publicKey: KeyObject }
  /** The service has no such certificate, or it is no longer, or not yet, valid. */
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unavailable' };

/** However many forged posts name certificates, the service is asked no more often than this. */
const FETCH_INTERVAL_MS = 1_000;
/** The service uses one at a time, and another while it replaces it. */
const MAX_CACHED = 10;

/** Finds the key of a certificate by its address, which must have been checked; certificates never change, so they are kept. */
export const createSnsCertificates = ({ get, clock, fetchTimeoutMs }: SnsCertificatesOptions) => {
  const cached = new Map<string, X509Certificate>();
  const fetching = new Map<string, Promise<X509Certificate>>();
  let fetchFromMs = Number.NEGATIVE_INFINITY;
  const nowMs = () => Date.parse(clock.now());

  const fetchCertificate = async (url: string): Promise<X509Certificate> => {
    try {
      const certificate = readCertificate((await get(url, fetchTimeoutMs)).text);
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
        return { kind: 'invalid', reason: 'certificate out of its time' };
      }
      return { kind: 'found', publicKey };
    } catch (error) {
      // The service's own trouble says nothing about the post; anything else than a certificate says that it is forged.
      return error instanceof UnexpectedAnswer && error.status < 500
        ? { kind: 'invalid', reason: 'no such certificate' }
        : { kind: 'unavailable' };
    }
  };
};

const readCertificate = (text: string): X509Certificate => {
  try {
    return new X509Certificate(text);
  } catch {
    throw new UnexpectedAnswer('No certificate was answered.', 200);
  }
};
