import { createHash } from 'node:crypto';
import { CliError } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';
import { type CsvFile, csvRows } from './csv-rows.ts';
import { createPlan, type Plan, rowRequest } from './plan.ts';

/** What a file holds, found out before anything is queued. */
export interface Survey {
  readonly plan: Plan;
  readonly rows: number;
  /** Rows that would be queued. */
  readonly good: number;
  /** Names the broadcast: the same file and message have the same one, and its requests the same ids. */
  readonly broadcastId: string;
}

/** Reads the whole file once, so that a fault in its last row is known before its first is sent. */
export const survey = async (csv: CsvFile, contactColumn: string, fields: Plan['fields']): Promise<Survey> => {
  const digest = createHash('sha256');
  const surveyed: { plan?: Plan } = {};
  let rows = 0;
  let good = 0;
  const onHeader = (header: readonly string[]) => {
    surveyed.plan = createPlan(csv.file, header, contactColumn, fields);
  };
  for await (const { number, row } of csvRows(csv, onHeader, (bytes) => digest.update(bytes))) {
    rows = number;
    if (surveyed.plan && rowRequest(surveyed.plan, row, 'survey').kind === 'request') good += 1;
  }
  const { plan } = surveyed;
  if (plan === undefined || rows === 0) {
    throw new CliError(
      EXIT.usage,
      `${csv.file} holds no row; the first line names the columns, and each further one is a message.`,
    );
  }
  digest.update(JSON.stringify([plan.contactColumn, plan.fields]));
  return { plan, rows, good, broadcastId: `b-${digest.digest('hex').slice(0, 20)}` };
};

/** A row's request id: the same whenever the same broadcast comes to it. */
export const requestIdOf = (broadcastId: string, row: number): string => `${broadcastId}-${row}`;
