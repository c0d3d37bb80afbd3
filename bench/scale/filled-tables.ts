import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { startDynamoDb } from '../../local/emulators/dynamodb.ts';
import { deployedSchema } from '../../test/support/emulated-table.ts';
import { createRandom } from '../../test/support/random.ts';
import { contactAddress, pushedEvent } from '../load/pushed-event.ts';
import { fillTable, type Sample } from './fill-table.ts';
import { hottestShare } from './hot-key.ts';
import { createZipf, type Zipf } from './zipf.ts';

/** A table with stored messages, in an emulator of its own. */
export interface FilledTable {
  readonly messages: number;
  readonly contacts: number;
  readonly zipf: Zipf;
  /** The share of the stored messages that the hottest contact wrote. */
  readonly hottestShare: number;
  readonly url: string;
}

export const TABLE_NAME = 'conversations';
const MESSAGES_PER_CONTACT = 10;
const DAY_MS = 24 * 60 * 60 * 1000;
/** The country and area code of a contact's address. */
const AREA = 5;
const SAMPLE_CONTACT = 49_999_999;
const SEED = 14;

/** Returns what a function stores for one event in an empty table. */
export const takeSample = async (
  folder: string,
  store: (url: string, body: string) => Promise<void>,
): Promise<Sample> => {
  const path = join(folder, 'sample');
  await mkdir(path);
  await using emulator = await startDynamoDb(path);
  const client = new DynamoDBClient({
    endpoint: emulator.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  await client.send(new CreateTableCommand({ ...deployedSchema(), TableName: TABLE_NAME }));
  const at = new Date().toISOString();
  const id = 'sample-message';
  await store(emulator.url, pushedEvent(id, contactAddress(SAMPLE_CONTACT), at));
  const { Items = [] } = await client.send(new ScanCommand({ TableName: TABLE_NAME }));
  client.destroy();
  const itemOf = (kind: string): string => {
    const found = Items.find(({ sk }) => sk?.S === kind);
    if (found === undefined) throw new Error(`The function stored no item of the kind ${kind}.`);
    return JSON.stringify(found);
  };
  return { message: itemOf('MESSAGE'), contact: itemOf('CONTACT'), id, at, contactSuffix: suffixOf(SAMPLE_CONTACT) };
};

/** Starts an emulator with a table of so many messages, whose contacts are drawn with Zipf's law. */
export const startFilledTable = async (
  folder: string,
  messages: number,
  sample: Sample,
): Promise<FilledTable & AsyncDisposable> => {
  const path = join(folder, String(messages));
  await mkdir(path);
  const contacts = messages / MESSAGES_PER_CONTACT;
  const zipf = createZipf(contacts);
  const random = createRandom(SEED);
  // In the order of the contacts, which is that of the index: otherwise the import would take three times as long.
  const drawn = Uint32Array.from({ length: messages }, () => zipf.draw(random())).sort();
  const table = { ...deployedSchema(), TableName: TABLE_NAME };
  await fillTable({ folder: path, table, sample, contacts: drawn, suffixOf, startMs: Date.now() - DAY_MS });
  const emulator = await startDynamoDb(path);
  return {
    messages,
    contacts,
    zipf,
    hottestShare: hottestShare(drawn),
    url: emulator.url,
    [Symbol.asyncDispose]: emulator.close,
  };
};

const suffixOf = (contact: number): string => contactAddress(contact).slice(AREA);
