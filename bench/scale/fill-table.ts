import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { databaseFile, findDynoxide } from '../../local/emulators/dynamodb.ts';

/** The items that the function stored for one message, as JSON of the DynamoDB API, and what differs between messages. */
export interface Sample {
  readonly message: string;
  readonly contact: string;
  readonly id: string;
  /** The part of the contact's address that is also in its key. */
  readonly contactSuffix: string;
  readonly at: string;
}

export interface Fill {
  readonly folder: string;
  readonly table: CreateTableCommandInput;
  readonly sample: Sample;
  /** The contact of each message. */
  readonly contacts: Uint32Array;
  readonly suffixOf: (contact: number) => string;
  /** The time of the first message, in milliseconds since the epoch. The others follow. */
  readonly startMs: number;
}

/** The time between two messages: a million take 14 hours. */
const STEP_MS = 50;
const LINES_PER_CHUNK = 1_000;
/** The most that the import prints. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

/**
 * Creates the database of an emulator that will run in the folder, with many messages like the sample. The emulator's own
 * import is twice as fast as calls of BatchWriteItem.
 */
export const fillTable = async (fill: Fill): Promise<void> => {
  const { folder, table } = fill;
  const source = join(folder, 'export');
  const data = join(source, String(table.TableName), 'data');
  await mkdir(data, { recursive: true });
  await pipeline(Readable.from(chunks(fill)), createGzip({ level: 1 }), createWriteStream(join(data, '0.json.gz')));
  const schema = join(folder, 'schema.json');
  await writeFile(schema, JSON.stringify({ Table: { ...table, TableStatus: 'ACTIVE' } }));
  const files = ['--source', source, '--schema', schema, '--output', databaseFile(folder)];
  await promisify(execFile)(await findDynoxide(), ['import', ...files], { maxBuffer: MAX_OUTPUT_BYTES });
  await rm(source, { recursive: true });
};

/** Yields the lines of a DynamoDB export: every message, and every contact with the time of its last message. */
function* chunks({ sample, contacts, suffixOf, startMs }: Fill): Generator<string> {
  let lines: string[] = [];
  const line = (item: string, index: number, contact: number): string => {
    const at = new Date(startMs + index * STEP_MS).toISOString();
    return `{"Item":${item
      .replaceAll(sample.id, messageId(index))
      .replaceAll(sample.contactSuffix, suffixOf(contact))
      .replaceAll(sample.at, at)}}\n`;
  };
  const last = new Map<number, number>();
  for (const [index, contact] of contacts.entries()) {
    last.set(contact, index);
    lines.push(line(sample.message, index, contact));
    if (lines.length < LINES_PER_CHUNK) continue;
    yield lines.join('');
    lines = [];
  }
  for (const [contact, index] of last) lines.push(line(sample.contact, index, contact));
  yield lines.join('');
}

const messageId = (index: number): string => `stored-${String(index).padStart(9, '0')}`;
