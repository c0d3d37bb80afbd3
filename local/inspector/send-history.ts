import type { SendRecord } from '../../lambdas/domain/send.ts';
import type { SendVersion, Trace } from '../../sandbox/base/trace.ts';
import { isObject, parseJson } from '../base/json.ts';
import { sendVersion } from './send-summary.ts';

/** Each attempt that waits adds two. */
const MAX_VERSIONS = 200;
const MAX_SENDS = 1_000;

/** What happened to the latest sends before their current versions. */
export interface SendHistory {
  /** Adds a request that the console put on the send queue. */
  addRequest(body: string, at: string): void;
  /** Adds a version of a send, unless nothing that it shows has changed. */
  add(send: SendRecord): void;
  /** Returns the history of a send by the ID of its request. */
  of(requestId: string | undefined): Pick<Trace, 'enqueuedAt' | 'sendHistory'>;
}

/** Creates an empty history. It forgets the sends that were changed least recently. */
export const createSendHistory = (maxSends = MAX_SENDS): SendHistory => {
  const requests = createLatest<string>(maxSends);
  const histories = createLatest<readonly SendVersion[]>(maxSends);
  return {
    of: (requestId = '') => ({ enqueuedAt: requests.get(requestId), sendHistory: histories.get(requestId) }),
    addRequest(body, at) {
      const request = parseJson(body);
      if (!isObject(request) || typeof request.requestId !== 'string') return;
      // A repeated request is ignored, so the first time counts.
      requests.set(request.requestId, requests.get(request.requestId) ?? at);
    },
    add(send) {
      const versions = histories.get(send.requestId) ?? [];
      const version = sendVersion(send);
      // The earlier versions have what the erasure has just removed from the table.
      if (send.erasedAt !== undefined) return histories.set(send.requestId, [version]);
      const isChanged = JSON.stringify(versions.at(-1)) !== JSON.stringify(version);
      histories.set(send.requestId, isChanged ? [...versions, version].slice(-MAX_VERSIONS) : versions);
    },
  };
};

/** A map that drops the least recently set keys. */
const createLatest = <Value>(maxKeys: number) => {
  const values = new Map<string, Value>();
  return {
    get: (key: string) => values.get(key),
    set(key: string, value: Value): void {
      values.delete(key);
      values.set(key, value);
      const [oldest] = values.keys();
      if (values.size > maxKeys && oldest !== undefined) values.delete(oldest);
    },
  };
};
