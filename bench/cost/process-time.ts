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
  const threads = processes.flatMap((id) =>
    readdirSync(`/proc/${id}/task`).map((thread) => threadNanoseconds(id, thread)),
  );
  return threads.reduce((total, nanoseconds) => total + nanoseconds, 0) / 1e6;
};
