/**
 * Writes the generated parts of docs/: JSON Schemas, events, laws, limits, the OpenAPI document, and states. Also writes the
 * types, guards, and JSON Schemas of events, and the type of a send request, in lib/events/. Tests check them all. What
 * becomes of the samples of webhook events is written by test/unit/documents/write-sample-results.ts.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventSchemas } from '../lib/documents/event-schemas.ts';
import { eventDetailsCode, eventGuardsCode, eventSchemasCode, sendRequestCode } from '../lib/documents/event-types.ts';
import { eventsPage } from '../lib/documents/events-page.ts';
import { lawsPage } from '../lib/documents/laws-page.ts';
import { limitsPage } from '../lib/documents/limits-page.ts';
import { managementApiText } from '../lib/documents/management-api-document.ts';
import { managementApiPage } from '../lib/documents/management-api-page.ts';
import { sendRequestSchemaText } from '../lib/documents/send-request-schema.ts';
import { architecturePage } from '../lib/documents/send-states.ts';
import { settingsPage } from '../lib/documents/settings-page.ts';

const ROOT = join(import.meta.dirname, '..');
const { version }: { version: string } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));

/** Updates the generated part of a file in docs/. */
const rewrite = async (name: string, render: (text: string) => string): Promise<void> => {
  const file = join(ROOT, 'docs', name);
  await writeFile(file, render(await readFile(file, 'utf8')));
};

await rewrite('send-request.schema.json', sendRequestSchemaText);
await rewrite('management-api.json', () => managementApiText(version));
await rewrite('management-api.md', managementApiPage);
await rewrite('events.md', eventsPage);
await rewrite('laws.md', lawsPage);
await rewrite('limits.md', limitsPage);
await rewrite('settings.md', settingsPage);
await rewrite('architecture.md', architecturePage);

await writeFile(join(ROOT, 'lib/events/event-details.ts'), eventDetailsCode());
await writeFile(join(ROOT, 'lib/events/event-guards.ts'), eventGuardsCode());
await writeFile(join(ROOT, 'lib/events/event-schemas.ts'), eventSchemasCode());
await writeFile(join(ROOT, 'lib/events/send-request.ts'), sendRequestCode());

const schemasFolder = join(ROOT, 'docs/events');
await rm(schemasFolder, { recursive: true, force: true });
await mkdir(schemasFolder);
for (const [name, schema] of Object.entries(eventSchemas())) {
  await writeFile(join(schemasFolder, `${name}.schema.json`), JSON.stringify(schema));
}
