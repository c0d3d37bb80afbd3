import { createRunFolder } from '../local/base/run-folder.ts';
import { runtimeClientFile } from '../local/functions/bundled-runtime-client.ts';
import { coldStartReport } from './cold-start/cold-start-report.ts';
import { type ColdSubject, functionsOf, peerBeside } from './cold-start/cold-subject.ts';
import { type ColdStart, measureColdStart } from './cold-start/measure-cold-start.ts';
import { startRecordedStacks } from './functions/recorded-stacks.ts';
import { interleave, type Measurement } from './report.ts';

const ROUNDS = 15;
const WARM_UP_ROUNDS = 2;

/**
 * Measures the time from the start of a function's process to its first answer: every function of both stacks, a handler
 * that does nothing, and one with a single SDK client. Linux only, for the processor time of other processes.
 */
export const measureColdStarts = async (rounds = ROUNDS): Promise<Measurement> => {
  if (process.platform !== 'linux') throw new Error('The processor time of a cold start can be read only on Linux.');
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await createRunFolder());
  const runtimeClient = await runtimeClientFile(folder);
  const { parley, tutorial } = stack.use(await startRecordedStacks(folder));
  const subjects = [
    ...functionsOf(parley),
    ...functionsOf(tutorial),
    await peerBeside(parley, 'empty', folder),
    await peerBeside(parley, 'one-client', folder),
  ];
  const starts = new Map(subjects.map((subject): [ColdSubject, ColdStart[]] => [subject, []]));
  let n = 0;
  const measure = async (subject: ColdSubject): Promise<number> => {
    n += 1;
    if (n % subjects.length === 0) console.error(`cold starts: ${n} of ${(rounds + WARM_UP_ROUNDS) * subjects.length}`);
    const start = await measureColdStart(subject, n, runtimeClient);
    starts.get(subject)?.push(start);
    return start.wallMs;
  };
  await interleave(subjects, { rounds: WARM_UP_ROUNDS, warmUpRounds: 0 }, measure);
  for (const measured of starts.values()) measured.length = 0;
  await interleave(subjects, { rounds, warmUpRounds: 0 }, measure);
  return coldStartReport(starts);
};
