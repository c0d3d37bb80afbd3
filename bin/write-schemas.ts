/** Writes the JSON Schemas of docs/ anew; a test keeps them equal to the code. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventsPage } from '../lib/events-page.ts';
import { sendRequestSchemaText } from '../lib/send-request-schema.ts';

const docs = join(import.meta.dirname, '..', 'docs');
await writeFile(join(docs, 'send-request.schema.json'), sendRequestSchemaText());
const events = join(docs, 'events.md');
await writeFile(events, eventsPage(await readFile(events, 'utf8')));
