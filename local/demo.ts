import { printableLine, printableLines } from '../sandbox/base/terminal-text.ts';
import { messageOf } from './base/local-error.ts';
import { createLocalClient } from './cloud/local-client.ts';
import { startLocal } from './cloud/local-cloud.ts';
import { MAIN_JOB } from './demo/main-job.ts';

const NEXT = `What to do next:

   npm start -- --open                    play the user yourself, and watch each part of Parley
   npm run parley -- --help               see what an operator can do
   docs/architecture.md                   read how it works`;

/** `npm run demo`: runs the main job on a local run and prints each step. Exits with 0 only if every step succeeds. */
const play = async (): Promise<void> => {
  console.log('Starting Parley and a sandbox of the chat service:');
  await using cloud = await startLocal({ onStep: (step) => console.log(`   ${step}...`) });
  using client = createLocalClient(cloud);
  const print = (part: string, line: string) => console.log(`   ${part.padEnd(9)} ${printableLine(line)}`);
  for (const [index, { title, play: playStep }] of MAIN_JOB.entries()) {
    console.log(`\n${index + 1}. ${title}`);
    await playStep({ cloud, client, print });
  }
  console.log(`\nAll ${MAIN_JOB.length} steps succeeded. ${NEXT}`);
};

try {
  await play();
} catch (error) {
  console.error(`\n${printableLines(messageOf(error))}`);
  process.exitCode = 1;
}
