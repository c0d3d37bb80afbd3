import { type ApiResult, callApi, encodeText, inspectorPath, type Trace } from './api.ts';
import { enqueueRequest } from './enqueue.ts';

/** The longest request ID that Parley accepts. */
const MAX_ID_CHARACTERS = 128;
const MAX_REPEATS = 50;

interface TemplateRequest {
  readonly contact: string;
  /** The request that the new one replaces. */
  readonly requestId: string;
  readonly ruleName: string;
  readonly params: ReadonlyMap<string, string>;
  readonly reason: string;
}

/** Puts a new request with a template on the send queue. Returns its ID. */
export const enqueueTemplate = async (template: TemplateRequest): Promise<ApiResult<string>> => {
  const { contact, ruleName, params, reason } = template;
  const requestId = await findFreeId(template.requestId);
  if (!requestId.ok) return requestId;
  const content = {
    ruleNameOrId: ruleName,
    ...(params.size > 0 && { params: Object.fromEntries(params) }),
    reason,
  };
  return enqueueRequest(contact, content, requestId.value);
};

/** Returns the ID of the nth request that replaces another: `id-template`, `id-template-2`, and so on. */
export const templateRequestId = (requestId: string, n: number): string => {
  const suffix = n === 1 ? '-template' : `-template-${n}`;
  return requestId.replace(/-template(-\d+)?$/, '').slice(0, MAX_ID_CHARACTERS - suffix.length) + suffix;
};

const findFreeId = async (requestId: string): Promise<ApiResult<string>> => {
  for (let n = 1; n <= MAX_REPEATS; n += 1) {
    const id = templateRequestId(requestId, n);
    const found = await callApi<Trace>('GET', inspectorPath(`requests/${encodeText(id)}`));
    if (!found.ok) return found;
    const isFree = found.value.enqueuedAt === undefined && found.value.send === undefined;
    if (isFree) return { ok: true, value: id };
  }
  return { ok: false, error: `Request ${requestId} has already been sent as a template ${MAX_REPEATS} times.` };
};
