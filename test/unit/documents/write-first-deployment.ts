/** Writes the generated part of docs/first-deployment.md. A test checks it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { firstDeploymentPage } from './first-deployment-page.ts';

const page = new URL('../../../docs/first-deployment.md', import.meta.url);
writeFileSync(page, firstDeploymentPage(readFileSync(page, 'utf8')));
