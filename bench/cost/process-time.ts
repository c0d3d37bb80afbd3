import { readdirSync, readFileSync } from 'node:fs';

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process, or one of its threads, has ended.
    return undefined;
  }
};

const isChild = (id: string): boolean =>
  new RegExp(`^PPid:\\s+${process.pid}$`, 'm').test(read(`/proc/${id}/status`) ?? '');

const threadNanoseconds = (id: string, thread: string): number =>
  Number(read(`/proc/${id}/task/${thread}/schedstat`)?.split(' ')[0] ?? 0);

/**
 * Returns the processor time so far, in milliseconds, of this process's children that run a function: all threads, in
 * user and system mode. Linux only.
 */
export const functionCpuMs = (functionName: string): number => {
  const variable = `AWS_LAMBDA_FUNCTION_NAME=${functionName}\0`;
  const processes = readdirSync('/proc').filter(
    (id) => /^\d+$/.test(id) && isChild(id) && read(`/proc/${id}/environ`)?.includes(variable),
  );
  return processes.reduce((total, id) => total + processCpuMs(id), 0);
};

/**
 * Returns the processor time so far of a running process, in milliseconds: all threads, in user and system mode. Linux
 * only, and to the nanosecond, where /proc/PID/stat counts in hundredths of a second.
 *
 * @throws Error on other systems, or if the process has ended.
 */
export const processCpuMs = (id: string | number): number =>
  readdirSync(`/proc/${id}/task`).reduce((total, thread) => total + threadNanoseconds(String(id), thread), 0) / 1e6;
