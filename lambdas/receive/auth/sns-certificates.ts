import { type KeyObject, X509Certificate } from 'node:crypto';
import type { Ms } from '../../domain/duration.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Clock } from '../../ports.ts';
import { type httpGet, UnexpectedAnswerError } from './http-get.ts';

export interface SnsCertificatesOptions {
  readonly get: typeof httpGet;
  readonly clock: Clock;
  readonly fetchTimeoutMs: Ms;
}

export type FoundKey =
  | { readonly kind: 'found'; readonly publicKey: KeyObject }
  /** Amazon SNS has no such certificate, or the certificate had expired or was not valid yet when the request arrived. */
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unavailable' };

/** Amazon SNS uses one certificate at a time, and two during a rotation. */
const MAX_CERTIFICATES = 10;
/** How long an address without a certificate is not fetched again, regardless of how many requests name it. */
const ABSENT_FOR_MS = 60_000;
/**
 * How long an address is not fetched again after Amazon SNS failed to answer: as long as the request had waited, so that
 * the pauses of one on the inbound queue double. A newer request may fetch it earlier.
 */
const MIN_RETRY_AFTER_MS = 1_000;
const MAX_RETRY_AFTER_MS = 60 * 60_000;
/** Forgetting an address costs one more fetch, so the limit only bounds memory. */
const MAX_FAILURES = 1_000;

type Failed = Exclude<FoundKey, { readonly kind: 'found' }>;

/**
 * Creates a lookup of certificates' keys by URL. The caller must have checked the URL. Certificates never change.
 *
 * Each address has its own limit. With a shared limit, requests that name invented addresses could prevent the real
 * certificate from being fetched.
 */
export const createSnsCertificates = ({ get, clock, fetchTimeoutMs }: SnsCertificatesOptions) => {
  const certificates = new Map<string, X509Certificate>();
  const failures = new Map<string, { readonly failed: Failed; readonly failedAtMs: number; readonly ageMs: number }>();
  const fetching = new Map<string, Promise<X509Certificate | Failed>>();
  const nowMs = () => Date.parse(clock.now());

  const fetchCertificate = async (url: string, ageMs: number): Promise<X509Certificate | Failed> => {
    try {
      const certificate = parseCertificate((await get(url, fetchTimeoutMs)).text);
      failures.delete(url);
      setBounded(certificates, url, certificate, MAX_CERTIFICATES);
      return certificate;
    } catch (error) {
      const failed = failureOf(error);
      setBounded(failures, url, { failed, failedAtMs: nowMs(), ageMs }, MAX_FAILURES);
      return failed;
    } finally {
      fetching.delete(url);
    }
  };

  const mayFetch = (url: string, ageMs: number): boolean => {
    const failure = failures.get(url);
    if (failure === undefined) return true;
    const retryAfterMs = Math.min(Math.max(MIN_RETRY_AFTER_MS, Math.min(ageMs, failure.ageMs)), MAX_RETRY_AFTER_MS);
    return nowMs() - failure.failedAtMs >= (failure.failed.kind === 'invalid' ? ABSENT_FOR_MS : retryAfterMs);
  };

  const findCertificate = (
    url: string,
    ageMs: number,
  ): Promise<X509Certificate | Failed> | X509Certificate | Failed => {
    const known = certificates.get(url) ?? fetching.get(url);
    if (known !== undefined) return known;
    const failure = failures.get(url);
    if (failure !== undefined && !mayFetch(url, ageMs)) return failure.failed;
    const fetched = fetchCertificate(url, ageMs);
    fetching.set(url, fetched);
    return fetched;
  };

  return async (url: string, validAt: Instant): Promise<FoundKey> => {
    const atMs = Date.parse(validAt);
    const found = await findCertificate(url, nowMs() - atMs);
    if (!(found instanceof X509Certificate)) return found;
    const { validFromDate, validToDate, publicKey } = found;
    if (atMs < validFromDate.getTime() || atMs > validToDate.getTime()) {
      return { kind: 'invalid', reason: 'certificate expired or not yet valid' };
    }
    return { kind: 'found', publicKey };
  };
};

/** The only answers that show that the address has no certificate. */
const ABSENT = new Set([404, 410]);

/**
 * Any other answer, such as a 403 to a flood of fetches, says nothing about the request, which may be authentic. Amazon
 * SNS may discard a message after a 401, but delivers it again after a 503.
 * Source: https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
const failureOf = (error: unknown): Failed =>
  error instanceof UnexpectedAnswerError && ABSENT.has(error.status)
    ? { kind: 'invalid', reason: 'no such certificate' }
    : { kind: 'unavailable' };

/** Adds an entry as the newest one, and deletes the oldest one if there are more than `max`. */
const setBounded = <Value>(map: Map<string, Value>, key: string, value: Value, max: number): void => {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
};

const parseCertificate = (text: string): X509Certificate => {
  try {
    return new X509Certificate(text);
  } catch {
    throw new UnexpectedAnswerError('The response is not a certificate.', 200);
  }
};
