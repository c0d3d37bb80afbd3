import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { createLocalClient } from '../../../local/cloud/local-client.ts';
import { startCheckedCloud } from '../../support/checked-cloud.ts';
import { eventually } from '../../support/eventually.ts';
import { fuzzBodies } from './fuzz-bodies.ts';
import { type PostReading, readPost } from './fuzz-reading.ts';
import { countRepeated, countSenders, type FuzzResult, receiptIn, storedKey } from './fuzz-result.ts';

const TOKEN = 'a-webhook-token-1';
const logLine = z.object({ message: z.string(), id: z.string().optional(), event: z.string().optional() });
type Receipt = z.output<typeof logLine>;

/** Posts generated bodies over HTTP to a local run: the bundled function behind the local HTTP API. */
export const fuzzOverHttp = async ({
  count,
  seed,
}: {
  readonly count: number;
  readonly seed: number;
}): Promise<FuzzResult> => {
  // Not the default folder, which other runs use too: the function's log is read below.
  const logFolder = await mkdtemp(join(tmpdir(), 'parley-fuzz-'));
  const cloud = await startCheckedCloud({
    settings: { webhook: { auth: { kind: 'shared-token', header: 'x-token' } } },
    warn: () => undefined,
    logFolder,
  });
  const client = createLocalClient(cloud);
  try {
    const secret = cloud.emulators.secrets.find(cloud.webhookSecretId ?? '');
    if (secret) cloud.emulators.secrets.put(secret, TOKEN);
    const statuses: Record<string, number> = {};
    const readings: PostReading[] = [];
    for (const { bytes, headers } of fuzzBodies(count, seed)) {
      const body = new Uint8Array(bytes);
      const response = await fetch(cloud.webhookUrl, {
        method: 'POST',
        headers: { ...headers, 'x-token': TOKEN },
        body,
      });
      await response.text();
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      // The HTTP API hands over JSON as text.
      if (response.status === 200) readings.push(readPost(bytes, headers['content-type'] === 'application/json'));
    }
    await eventually(async () => ((await client.queueDepth(cloud.inboundQueueUrl)) === 0 ? true : undefined));
    const receive = [...cloud.functions.values()].find(({ declaration }) =>
      declaration.logicalId.startsWith('ReceiverFunction'),
    );
    const log = await readFile(join(cloud.logFolder, `${receive?.declaration.name}.log`), 'utf8');
    const receipts = log.split('\n').flatMap(readReceipt);
    const {
      stored = [],
      quarantined = [],
      deferred = [],
      ...others
    } = Object.groupBy(receipts, ({ message }) => receiptIn(message) ?? 'other');
    const table = await client.table();
    return {
      requests: count,
      statuses,
      events: readings.reduce((sum, { events }) => sum + events, 0),
      logged: {
        stored: stored.length,
        quarantined: quarantined.length,
        deferred: deferred.length,
        other: Object.keys(others).length,
      },
      inTable: stored.filter((event) => table[storedKey(event)] !== undefined).length,
      repeated: countRepeated(stored, readings),
      inQuarantine: await client.queueDepth(cloud.inboundDeadLetterQueueUrl),
      senders: countSenders(Object.values(table), readings),
      unhandled: log.split('Invoke Error').length - 1,
    };
  } finally {
    client.close();
    await cloud.close();
    await rm(logFolder, { recursive: true });
  }
};

/** Reads a log line that says what the function did with a request. */
const readReceipt = (line: string): readonly Receipt[] => {
  if (!line.startsWith('{')) return [];
  const { data } = logLine.safeParse(JSON.parse(line));
  return data ? [data] : [];
};
