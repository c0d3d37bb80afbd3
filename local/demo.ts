import { MAIN_JOB } from './demo/main-job.ts';
import { createLocalClient } from './local-client.ts';
import { startLocal } from './local-cloud.ts';
import { messageOf } from './local-error.ts';

/** `npm run demo`: plays the main job on the local run with a trace; exits 0 only if every step held. */
const play = async (): Promise<void> => {
  console.log('Starting the stack and the chat service’s sandbox on this machine …');
  const cloud = await startLocal();
  const client = createLocalClient(cloud);
  const say = (who: string, what: string) => console.log(`   ${who.padEnd(8)} ${what}`);
  try {
    for (const [index, { title, play: playStep }] of MAIN_JOB.entries()) {
      console.log(`\n${index + 1}. ${title}`);
      await playStep({ cloud, client, say });
    }
    console.log(`\nAll ${MAIN_JOB.length} steps held.`);
  } finally {
    client.close();
    await cloud.close();
  }
};

try {
  await play();
} catch (error) {
  console.error(`\n${messageOf(error)}`);
  process.exitCode = 1;
}
