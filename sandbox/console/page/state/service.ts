/** What came of a request to the service; a refusal is the sentence to show. */
export type Asked<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly why: string };

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** Asks the server that served this page; page and server are of one version, so that answers are taken at their word. */
export const ask = async <Value>(method: Method, path: string, body?: unknown): Promise<Asked<Value>> => {
  try {
    const response = await fetch(path, {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok)
      return { ok: false, why: refusalIn(text) ?? `${method} ${path} was answered ${response.status}.` };
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, why: 'The service does not answer; is it still running?' };
  }
};

export const userPath = (contact: string): string => `/sandbox/users/${encodeURIComponent(contact)}`;

/** The message of the contract's error form. */
const refusalIn = (text: string): string | undefined => {
  try {
    const message: unknown = JSON.parse(text).error.message;
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
};
