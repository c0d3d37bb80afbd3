/** Writes the generated part of docs/webhook-formats/README.md. A test checks that it is up to date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { runSamples, sampleResultsPage } from './sample-results.ts';

const page = new URL('../../../docs/webhook-formats/README.md', import.meta.url);
writeFileSync(page, sampleResultsPage(readFileSync(page, 'utf8'), await runSamples()));
