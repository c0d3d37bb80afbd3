import type { SendVersion, Trace } from '../../sandbox/base/inspector.ts';
import { isObject, parseJson } from '../base/json.ts';
import type { TableItem } from './table-stream.ts';

/** What a later transition of a send replaces. */
const REPLACED = [
  'state',
  'decision',
  'code',
  'outcome',
  'outcomeDetails',
  'failure',
  'attempts',
  'claimId',
  'call',
  'confirmedBy',
  'sendAt',
] as const;
/** Each attempt that waits adds two. */
const MAX_VERSIONS = 200;
const MAX_SENDS = 1_000;

/** What happened to the latest sends before the current versions of their items. */
export interface SendHistory {
  /** Adds a request that the console put on the send queue. */
  addRequest(body: string, at: string): void;
  /** Adds a version of a send's item. Ignores other items. */
  add(item: TableItem): void;
  /** Returns the history of a send by its partition key. */
  of(pk: unknown): Pick<Trace, 'enqueuedAt' | 'sendHistory'>;
}

/** Returns the partition key of a send. */
export const sendKey = (requestId: string): string => `SEND#${requestId}`;

/** Creates an empty history. It forgets the sends that were changed least recently. */
export const createSendHistory = (maxSends = MAX_SENDS): SendHistory => {
  const requests = createLatest<string>(maxSends);
  const histories = createLatest<readonly SendVersion[]>(maxSends);
  return {
    of: (pk) => ({ enqueuedAt: requests.get(pk), sendHistory: histories.get(pk) }),
    addRequest(body, at) {
      const request = parseJson(body);
      if (!isObject(request) || typeof request.requestId !== 'string') return;
      const key = sendKey(request.requestId);
      // A repeated request is ignored, so the first time counts.
      requests.set(key, requests.get(key) ?? at);
    },
    add(item) {
      if (item.sk !== 'SEND' || typeof item.state !== 'string') return;
      const versions = histories.get(item.pk) ?? [];
      const version = versionOf(item, item.state);
      const isChanged = JSON.stringify(versions.at(-1)) !== JSON.stringify(version);
      histories.set(item.pk, isChanged ? [...versions, version].slice(-MAX_VERSIONS) : versions);
    },
  };
};

const versionOf = (item: TableItem, state: string): SendVersion => ({
  ...Object.fromEntries(REPLACED.filter((name) => item[name] !== undefined).map((name) => [name, item[name]])),
  // Each state has its own time attribute.
  [`${state}At`]: item[`${state}At`],
});

/** A map that drops the least recently set keys. */
const createLatest = <Value>(maxKeys: number) => {
  const values = new Map<unknown, Value>();
  return {
    get: (key: unknown) => values.get(key),
    set(key: unknown, value: Value): void {
      values.delete(key);
      values.set(key, value);
      if (values.size > maxKeys) values.delete(values.keys().next().value);
    },
  };
};
