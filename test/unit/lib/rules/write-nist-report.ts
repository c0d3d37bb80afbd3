/** Writes docs/nist-800-53.md. A test checks that it is up to date. */
import { writeFileSync } from 'node:fs';
import { nistFindings, nistReport } from './nist-report.ts';
import { STAGE_VARIANTS } from './stage-variants.ts';

writeFileSync(new URL('../../../../docs/nist-800-53.md', import.meta.url), nistReport(nistFindings(STAGE_VARIANTS)));
