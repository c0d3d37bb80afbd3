/** Writes the JSON Schemas of docs/ anew; a test keeps them equal to the code. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sendRequestSchemaText } from '../lib/send-request-schema.ts';

await writeFile(join(import.meta.dirname, '..', 'docs', 'send-request.schema.json'), sendRequestSchemaText());
