/**
 * Writes the generated parts of docs/: JSON Schemas, events, laws, limits, settings, the OpenAPI document, and states.
 * Tests check them all. What becomes of the samples of webhook events is written by test/unit/documents/write-sample-results.ts.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventsSchemaText } from '../lib/documents/event-schemas.ts';
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

await rewrite('events.schema.json', eventsSchemaText);
await rewrite('send-request.schema.json', sendRequestSchemaText);
await rewrite('management-api.json', () => managementApiText(version));
await rewrite('management-api.md', managementApiPage);
await rewrite('events.md', eventsPage);
await rewrite('laws.md', lawsPage);
await rewrite('limits.md', limitsPage);
await rewrite('settings.md', settingsPage);
await rewrite('architecture.md', architecturePage);
