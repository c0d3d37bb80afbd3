import { statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionSettings } from '../../local/functions/execution-environment.ts';
import type { FunctionDeclaration } from '../../local/functions/invocation.ts';
import { freeFormRequest, inboundMessage } from '../functions/job-events.ts';
import { JOBS, type Job } from '../functions/jobs.ts';
import { RECORDED_USER, type RecordedStack } from '../functions/recorded-stack.ts';
import { type Peer, writePeer } from '../peers/bundle-peer.ts';

/** A function whose cold start is measured. */
export interface ColdSubject {
  readonly stack: string;
  readonly name: Job | Peer;
  readonly declaration: FunctionDeclaration;
  readonly settings: Omit<ExecutionSettings, 'runtimeClient'>;
  /** The size of index.js, which a cold start loads. */
  readonly bytes: number;
  /** Returns the n-th event. */
  readonly event: (n: number) => unknown;
  /** Returns whether the function did its job. */
  readonly isDone: (answer: string) => boolean;
}

const bytesOf = (codeFolder: string): number => statSync(join(codeFolder, 'index.js')).size;

const hasStatus200 = (answer: string): boolean => JSON.parse(answer).statusCode === 200;
const hasNoFailures = (answer: string): boolean => JSON.parse(answer).batchItemFailures?.length === 0;

/** Returns the functions of a stack, each with what it does first. */
export const functionsOf = ({ name, stack, declarations, events, environment, accepted }: RecordedStack) => {
  const settings = { awsEnvironment: stack.env, clock: stack.clock, interposedEnvironment: environment };
  let sent = accepted();
  const jobs: Record<Job, Pick<ColdSubject, 'event' | 'isDone'>> = {
    receive: { event: (n) => inboundMessage(events.receive, n), isDone: hasStatus200 },
    send: {
      event: () => freeFormRequest(events.send, RECORDED_USER),
      isDone(answer) {
        sent += 1;
        return hasNoFailures(answer) && accepted() === sent;
      },
    },
    publish: { event: () => events.publish, isDone: hasNoFailures },
    manage: {
      event: () => events.manage,
      isDone: (answer) => hasStatus200(answer) && JSON.parse(JSON.parse(answer).body).window.open === true,
    },
  };
  return JOBS.map((job): ColdSubject => {
    const declaration = declarations[job];
    return { stack: name, name: job, declaration, settings, bytes: bytesOf(declaration.codeFolder), ...jobs[job] };
  });
};

/** Returns a peer that runs as a function of a stack, beside its tables. */
export const peerBeside = async (
  { stack, declarations }: RecordedStack,
  name: Peer,
  folder: string,
): Promise<ColdSubject> => {
  const codeFolder = join(folder, name);
  await mkdir(codeFolder);
  writePeer(name, codeFolder);
  return {
    stack: '',
    name,
    declaration: { ...declarations.receive, name, codeFolder, variables: { TABLE_NAME: stack.tableName } },
    settings: { awsEnvironment: stack.env, clock: stack.clock },
    bytes: bytesOf(codeFolder),
    event: () => ({}),
    isDone: hasStatus200,
  };
};
