import { onTestFinished } from 'vitest';
import { eventually } from './running-sandbox.ts';

export interface FeedReader {
  /** Every entry so far. */
  entries: Record<string, unknown>[];
  ofType(type: string): Record<string, unknown>[];
  /** Waits until there are `count` entries of this type. */
  until(type: string, count?: number): Promise<void>;
  close(): void;
}

/** Reads the feed as a browser's EventSource does, until the test ends. */
export const readFeed = async (url: string, query = '', headers: Record<string, string> = {}): Promise<FeedReader> => {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const response = await fetch(`${url}/sandbox/feed${query}`, { headers, signal: abort.signal });
  const entries: Record<string, unknown>[] = [];
  const ofType = (type: string) => entries.filter((entry) => entry.type === type);
  const read = async () => {
    let rest = '';
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data !== undefined) entries.push(JSON.parse(data));
      }
    }
  };
  // The connection ends with the test, or with the sandbox.
  read().catch(() => undefined);
  return {
    entries,
    ofType,
    until: (type, count = 1) =>
      eventually(() => {
        if (ofType(type).length < count) throw new Error(`No ${type} yet.`);
      }),
    close: () => abort.abort(),
  };
};
