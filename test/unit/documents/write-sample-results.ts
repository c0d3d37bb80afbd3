/** Writes the generated parts of the README.md of docs/webhook-formats and docs/history-formats. Tests check them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { historyResultsPage, runSamples, sampleResultsPage } from './sample-results.ts';

const page = new URL('../../../docs/webhook-formats/README.md', import.meta.url);
writeFileSync(page, sampleResultsPage(readFileSync(page, 'utf8'), await runSamples()));

const history = new URL('../../../docs/history-formats/README.md', import.meta.url);
writeFileSync(history, historyResultsPage(readFileSync(history, 'utf8')));
