import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalClient } from '../../local/cloud/local-client.ts';
import { startTutorial, TUTORIAL_RETENTION_DAYS } from '../peers/tutorial/start-tutorial.ts';
import { mainJobPhases } from './main-job-phases.ts';
import type { Subject } from './subject.ts';

/** The tutorial's stack, which does the same job. */
export const TUTORIAL: Subject = {
  name: 'Tutorial',
  async start(interpose, events) {
    await using stack = new AsyncDisposableStack();
    const logFolder = await mkdtemp(join(tmpdir(), 'parley-cost-'));
    stack.defer(() => rm(logFolder, { recursive: true, force: true }));
    const tutorial = await startTutorial({ interpose, logFolder });
    stack.defer(tutorial.close);
    const client = createLocalClient(tutorial);
    stack.defer(client.close);
    const template: unknown = JSON.parse(await readFile(tutorial.templateFile, 'utf8'));
    const phases = await mainJobPhases(client, events);
    const resources = stack.move();
    return {
      cloud: { functions: tutorial.functions, logFolder },
      template,
      phases,
      retentionDays: TUTORIAL_RETENTION_DAYS,
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    };
  },
};
