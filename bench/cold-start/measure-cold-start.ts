import { Writable } from 'node:stream';
import { startExecutionEnvironment } from '../../local/functions/execution-environment.ts';
import { processCpuMs } from '../cost/process-time.ts';
import type { ColdSubject } from './cold-subject.ts';

/** What one cold start took. */
export interface ColdStart {
  /** From the start of the process to the first answer. */
  readonly wallMs: number;
  /** The processor time of all threads until then. */
  readonly cpuMs: number;
}

/** Starts a process of a function, invokes it once, and ends it. @throws Error if it did not do its job. */
export const measureColdStart = async (
  { stack, name, declaration, settings, event, isDone }: ColdSubject,
  n: number,
  runtimeClient: string,
): Promise<ColdStart> => {
  const text = JSON.stringify(event(n));
  const printed: Buffer[] = [];
  const log = new Writable({
    write(chunk: Buffer, _encoding, done) {
      printed.push(chunk);
      done();
    },
  });
  const startMs = performance.now();
  const started = await startExecutionEnvironment(
    declaration,
    declaration.codeFolder,
    { ...settings, runtimeClient },
    log,
  );
  try {
    const result = await started.invoke(text);
    const wallMs = performance.now() - startMs;
    const cpuMs = processCpuMs(started.processId ?? 0);
    if (result.ok && isDone(result.payload)) return { wallMs, cpuMs };
    throw new Error(`${stack} ${name} failed: ${JSON.stringify(result)}\n${Buffer.concat(printed).toString()}`);
  } finally {
    await started.close();
  }
};
