import { randomInt } from 'node:crypto';
import { explainError } from '../cli/base/errors.ts';
import { SmokeError } from './smoke-options.ts';
import type { SmokeStage, SmokeSubject } from './smoke-stage.ts';
import { SMOKE_STEPS } from './smoke-steps.ts';

/** Where a stage is tested: deploys or starts it, and removes it. Only this differs between AWS and the local run. */
export interface SmokeHost {
  /** What has to be done before the stage can be tested. Each returns what was done, in a few words. */
  readonly preparations: readonly { readonly title: string; readonly run: () => Promise<string> }[];
  /** The prepared stage. */
  readonly stage: () => Promise<SmokeStage>;
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

/** A short random name for everything that a test creates. */
export const createSmokeId = (): string => String(randomInt(10_000_000, 100_000_000));

/** Runs all steps, one line each, and removes the stage. @returns whether every step succeeded */
export const playSmoke = async (host: SmokeHost, { id, print, keep }: SmokeRun): Promise<boolean> => {
  const subject: SmokeSubject = { id, user: `+54911${id}`, inboundId: `smoke-in-${id}`, requestId: `smoke-${id}` };
  const take = async (title: string, run: () => Promise<string>): Promise<boolean> => {
    const startedAt = performance.now();
    const line = (grade: string, text: string) =>
      print(
        `${grade.padEnd(6)} ${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${title}: ${text}`,
      );
    try {
      line('ok', await run());
      return true;
    } catch (error) {
      line('FAILED', error instanceof SmokeError ? error.message : explainError(error).message);
      return false;
    }
  };
  const takeAll = async (): Promise<boolean> => {
    for (const { title, run } of host.preparations) if (!(await take(title, run))) return false;
    for (const { title, run } of SMOKE_STEPS) {
      if (!(await take(title, async () => run(await host.stage(), subject)))) return false;
    }
    return true;
  };
  const succeeded = await takeAll();
  if (!succeeded && keep && host.removal.later !== undefined) {
    print(`The stage is kept. Remove it with: ${host.removal.later}`);
    return false;
  }
  return (await take(host.removal.title, host.removal.run)) && succeeded;
};
