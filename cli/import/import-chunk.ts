import { setTimeout as pause } from 'node:timers/promises';
import { importResponse } from '../../lambdas/manage/api/imports.ts';
import { type RefusedRows, recordRefusal } from '../broadcast/refused-rows.ts';
import { JsonText, type ManagementClient, ManagementError } from '../operations/management-client.ts';
import type { Chunk } from './plan-import.ts';

/** What became of events: new ones are stored, or would be in a dry run. */
export interface ImportCounts {
  readonly added: number;
  readonly existing: number;
  readonly unreadable: RefusedRows;
}

export interface ImportCall {
  readonly call: ManagementClient;
  readonly format: string | undefined;
  readonly dryRun: boolean;
}

/**
 * Imports the entries of a chunk, or asks what an import of them would store. Returns the counts with what became of them.
 */
export const importChunk = async (
  { call, format, dryRun }: ImportCall,
  { entries }: Chunk,
  counts: ImportCounts,
): Promise<ImportCounts> => {
  // Parsed and serialized again, the numbers and the repeated names of an entry could change.
  const list = entries.map(({ text }) => text).join(',');
  const body = new JsonText(`{"entries":[${list}],${JSON.stringify({ format, dryRun }).slice(1)}`);
  const { results } = importResponse.parse(await callPatiently(call, body));
  const unreadable = structuredClone(counts.unreadable);
  for (const { entry, result, reason = '' } of results) {
    if (result === 'unreadable') recordRefusal(unreadable, reason, entries[entry]?.number ?? 0);
  }
  const countOf = (...wanted: readonly string[]) => results.filter(({ result }) => wanted.includes(result)).length;
  return {
    added: counts.added + countOf('stored', 'wouldStore'),
    existing: counts.existing + countOf('exists'),
    unreadable,
  };
};

const MAX_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;

/** Repeats a call that failed for the moment, which is safe: an import stores nothing twice. */
const callPatiently = async (call: ManagementClient, body: JsonText): Promise<unknown> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call('POST', '/v1/imports', body);
    } catch (error) {
      if (!(error instanceof ManagementError)) throw error;
      const isTemporary = error.status === 0 || error.status === 429 || error.status >= 500;
      if (!isTemporary || attempt === MAX_ATTEMPTS) throw error;
      await pause(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }
};
