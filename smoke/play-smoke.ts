import { randomInt } from 'node:crypto';
import { explainError } from '../cli/base/errors.ts';
import { SmokeError } from './smoke-options.ts';
import type { SmokeStage, SmokeStep, SmokeSubject } from './smoke-stage.ts';

/** Where a stage is tested: deploys or starts it, and removes it. Only this differs between AWS and the local run. */
export interface SmokeHost<Stage = SmokeStage> {
  /** What has to be done before the stage can be tested. Each returns what was done, in a few words. */
  readonly preparations: readonly { readonly title: string; readonly run: () => Promise<string> }[];
  /** The prepared stage. */
  readonly stage: () => Promise<Stage>;
  readonly removal: {
    readonly title: string;
    /** Removes whatever the preparations have created, also after one failed. */
    readonly run: () => Promise<string>;
    /** How to remove it later. Undefined if nothing is left. */
    readonly later: string | undefined;
  };
}

export interface SmokeRun {
  readonly id: string;
  readonly print: (line: string) => void;
  /** Whether to leave the stage if a step fails. */
  readonly keep: boolean;
}

/** A step that was taken. */
export interface PlayedStep {
  readonly title: string;
  readonly succeeded: boolean;
  readonly seconds: number;
  /** What was seen, or why it failed. */
  readonly text: string;
}

/** A short random name for everything that a test creates. */
export const createSmokeId = (): string => String(randomInt(10_000_000, 100_000_000));

/** Runs the steps until one fails, prints a line for each, and removes the stage. */
export const playSmoke = async <Stage>(
  host: SmokeHost<Stage>,
  steps: readonly SmokeStep<Stage>[],
  { id, print, keep }: SmokeRun,
): Promise<readonly PlayedStep[]> => {
  const subject: SmokeSubject = { id, user: `+54911${id}`, inboundId: `smoke-in-${id}`, requestId: `smoke-${id}` };
  const played: PlayedStep[] = [];
  const take = async (title: string, run: () => Promise<string>): Promise<boolean> => {
    const startedAt = performance.now();
    const { succeeded, text } = await run().then(
      (text) => ({ succeeded: true, text }),
      (error: unknown) => ({
        succeeded: false,
        text: error instanceof SmokeError ? error.message : explainError(error).message,
      }),
    );
    const seconds = (performance.now() - startedAt) / 1000;
    played.push({ title, succeeded, seconds, text });
    print(`${(succeeded ? 'ok' : 'FAILED').padEnd(6)} ${seconds.toFixed(1).padStart(6)} s  ${title}: ${text}`);
    return succeeded;
  };
  const takeAll = async (): Promise<boolean> => {
    for (const { title, run } of host.preparations) if (!(await take(title, run))) return false;
    for (const { title, run } of steps) {
      if (!(await take(title, async () => run(await host.stage(), subject)))) return false;
    }
    return true;
  };
  if (!(await takeAll()) && keep && host.removal.later !== undefined) {
    print(`The stage is kept. Remove it with: ${host.removal.later}`);
  } else await take(host.removal.title, host.removal.run);
  return played;
};

export const haveSucceeded = (played: readonly PlayedStep[]): boolean => played.every(({ succeeded }) => succeeded);
