import { outcomeOfFailure } from '../../lambdas/domain/failure.ts';
import type { SendSummary } from '../../sandbox/base/inspector.ts';
import { isObject, parseJson } from '../base/json.ts';
import type { TableItem } from './table-stream.ts';

const KEY_PREFIX = 'SEND#';
const MAX_TEXT_CHARACTERS = 200;

/** Summarizes a send's item. Returns undefined for items of other kinds. */
export const summarizeSend = (item: TableItem): SendSummary | undefined => {
  const key = string(item.pk);
  const state = string(item.state);
  if (!key?.startsWith(KEY_PREFIX) || state === undefined) return undefined;
  const parsed = parseJson(string(item.body) ?? '');
  // The body of an erased contact's request is gone.
  const request = isObject(parsed) ? parsed : {};
  const failure = string(item.failure);
  return {
    requestId: key.slice(KEY_PREFIX.length),
    state,
    platformContactId: string(request.platformContactId),
    at: latestTime(item),
    code: string(item.code),
    decision: string(item.decision),
    outcome: string(item.outcome),
    outcomeDetails: string(item.outcomeDetails),
    // The item keeps the outcome of the call.
    ...(failure !== undefined && outcomeOfFailure(failure)),
    messageId: string(item.messageId),
    text: shorten(string(request.messageText)),
    ruleName: string(request.ruleNameOrId),
  };
};

/** When a request is to be sent, and the sort key of an index. Neither is the time of a change. */
const NO_CHANGES: readonly string[] = ['sendAt', 'stateAt'];

const latestTime = (item: TableItem): string | undefined =>
  Object.entries(item)
    .flatMap(([name, value]) => (name.endsWith('At') && !NO_CHANGES.includes(name) ? (string(value) ?? []) : []))
    .toSorted()
    .at(-1);

/** Counts code points, so that no character is cut in half. */
const shorten = (text: string | undefined): string | undefined => {
  // A code point has at most two code units.
  const start = [...(text ?? '').slice(0, 2 * (MAX_TEXT_CHARACTERS + 1))];
  return start.length > MAX_TEXT_CHARACTERS ? `${start.slice(0, MAX_TEXT_CHARACTERS - 1).join('')}…` : text;
};

const string = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
