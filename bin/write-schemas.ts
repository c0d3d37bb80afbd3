/** Writes the generated files of docs/: the JSON Schemas, the events page and the OpenAPI document. Tests compare them. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventsPage } from '../lib/documents/events-page.ts';
import { managementApiText } from '../lib/documents/management-api-document.ts';
import { sendRequestSchemaText } from '../lib/documents/send-request-schema.ts';

const ROOT = join(import.meta.dirname, '..');
const docs = join(ROOT, 'docs');
const { version }: { version: string } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));

await writeFile(join(docs, 'send-request.schema.json'), sendRequestSchemaText());
await writeFile(join(docs, 'management-api.json'), managementApiText(version));
const events = join(docs, 'events.md');
await writeFile(events, eventsPage(await readFile(events, 'utf8')));
