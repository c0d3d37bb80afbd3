import type { SQSClient } from '@aws-sdk/client-sqs';
import { type CsvFile, csvRows, type NumberedRow } from './csv-rows.ts';
import { type Plan, rowRequest } from './plan.ts';
import { type GoodRequest, putRequests } from './put-requests.ts';
import type { BroadcastState } from './state-file.ts';
import { requestIdOf } from './survey.ts';

export interface SendRowsSettings {
  readonly csv: CsvFile;
  readonly plan: Plan;
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  readonly stop: AbortSignal;
  /** Keeps how far it has come, after every few hundred rows. */
  readonly keep: (state: BroadcastState) => Promise<void>;
}

/** Rows between two records of how far it has come. */
const CHUNK = 200;
/** Rows that are named for each reason of refusal. */
const NAMED = 5;

/** Puts the rows behind `begun.done` on the queue until the end, or until it is stopped. */
export const sendRows = async (settings: SendRowsSettings, begun: BroadcastState): Promise<BroadcastState> => {
  let state = begun;
  let chunk: NumberedRow[] = [];
  const flush = async () => {
    state = await sendChunk(settings, state, chunk);
    await settings.keep(state);
    chunk = [];
  };
  for await (const row of csvRows(settings.csv, () => {})) {
    if (settings.stop.aborted) return state;
    if (row.number <= begun.done) continue;
    chunk.push(row);
    if (chunk.length === CHUNK) await flush();
  }
  if (chunk.length > 0 && !settings.stop.aborted) await flush();
  return state;
};

const sendChunk = async (
  { plan, sqs, queueUrl }: SendRowsSettings,
  state: BroadcastState,
  rows: readonly NumberedRow[],
): Promise<BroadcastState> => {
  const refused = structuredClone(state.refused);
  const good: GoodRequest[] = [];
  for (const { number, row } of rows) {
    const request = rowRequest(plan, row, requestIdOf(state.broadcastId, number));
    if (request.kind === 'request') good.push(request);
    else note(refused, request.why, number);
  }
  await putRequests(sqs, queueUrl, good);
  return { ...state, done: state.done + rows.length, queued: state.queued + good.length, refused };
};

/** However many rows and reasons there are, what is remembered of them stays small. */
const MOST_REASONS = 50;

const note = (refused: BroadcastState['refused'], why: string, row: number): void => {
  const key = why in refused || Object.keys(refused).length < MOST_REASONS ? why : 'other reasons';
  const noted = refused[key] ?? { count: 0, rows: [] };
  refused[key] = { count: noted.count + 1, rows: noted.rows.length < NAMED ? [...noted.rows, row] : noted.rows };
};
