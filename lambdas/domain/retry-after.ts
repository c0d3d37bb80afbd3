/** The form of date that senders must write (RFC 9110, 5.6.7); `Date.parse` alone takes "-1" for one too. */
const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Reads a Retry-After header: seconds, or an HTTP date (RFC 9110, 10.2.3).
 *
 * @returns milliseconds from `nowMs`, not below zero; undefined where the header is missing or neither
 */
export const retryAfterMs = (header: string | undefined, nowMs: number): number | undefined => {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  if (!IMF_FIXDATE.test(header.trim())) return undefined;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
};
