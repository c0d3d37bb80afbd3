import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, type Writable } from 'node:stream';

/** Where the functions' output goes. */
export interface LogSettings {
  /** One file for each function, begun anew with the run. */
  readonly folder: string;
  /** Where the output is shown as well. */
  readonly echo?: Writable | undefined;
}

/** A function's log, which takes what every process of the function writes. */
export interface FunctionLog {
  readonly file: string;
  readonly stream: Writable;
  readonly close: () => Promise<void>;
}

export const openFunctionLog = async (functionName: string, { folder, echo }: LogSettings): Promise<FunctionLog> => {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${functionName}.log`);
  const output = createWriteStream(file);
  const stream = new PassThrough();
  // Every process of the function is piped into it twice, for its output and its errors.
  stream.setMaxListeners(0);
  stream.pipe(output);
  if (echo) stream.pipe(echo, { end: false });
  return {
    file,
    stream,
    close: () =>
      new Promise((resolve) => {
        output.once('close', () => resolve());
        stream.end();
      }),
  };
};
