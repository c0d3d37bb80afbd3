import { readRunbook } from '../../support/runbook.ts';
import type { AlarmStage } from './alarm-stage.ts';

/** What replaces the runbook's placeholders, and the standard input of its commands. */
export interface RunbookValues {
  readonly requestId?: string;
  readonly stdin?: string;
}

/** How an alarm starts, and what ends it. */
export interface AlarmScenario {
  /** The alarm's section in the runbook. */
  readonly alarm: string;
  /** Injects the fault. */
  readonly inject: (stage: AlarmStage) => Promise<void>;
  /** What keeps happening every step until the alarm starts. @default nothing */
  readonly meanwhile?: (stage: AlarmStage) => Promise<void>;
  /** Does what the runbook says besides its commands. @default nothing */
  readonly fix?: (stage: AlarmStage) => Promise<RunbookValues | undefined>;
  /** How far the clock moves at a time, which is less than a period of the alarm. @default 4 */
  readonly stepMinutes?: number;
}

/** Longer than any alarm needs to start or to end: two hours and a half of steps of four minutes. */
const MAX_STEPS = 40;

/** Thrown if an alarm does not start or end. */
export class AlarmError extends Error {
  override readonly name = 'AlarmError';
}

/**
 * Injects an alarm's fault, waits until the alarm starts, does what its section of the runbook says, and waits until the
 * alarm ends.
 *
 * @param watched the alarm to watch, if it is not that of the scenario
 * @throws AlarmError if the alarm does not start or does not end
 * @throws Error if a command fails
 */
export const runScenario = async (
  stage: AlarmStage,
  scenario: AlarmScenario,
  watched = scenario.alarm,
): Promise<void> => {
  const { alarm, inject, meanwhile, fix, stepMinutes = 4 } = scenario;
  const until = async (isOn: boolean, eachStep?: (stage: AlarmStage) => Promise<void>): Promise<boolean> => {
    for (let step = 0; step < MAX_STEPS; step += 1) {
      if (stage.isOn(watched) === isOn) return true;
      if (eachStep) {
        await eachStep(stage);
        await stage.idle();
      }
      await stage.advance(stepMinutes);
    }
    return stage.isOn(watched) === isOn;
  };

  // An earlier scenario may have started it, too.
  if (!(await until(false))) throw new AlarmError(`${watched} is on before its fault.`);
  await inject(stage);
  await stage.idle();
  if (!(await until(true, meanwhile))) throw new AlarmError(`${watched} did not start.`);
  const values = await fix?.(stage);
  for (const command of commandsOf(alarm, values)) {
    await stage.drained(stage.cloud.inboundQueueUrl);
    await stage.parley(command, values?.stdin);
  }
  if (!(await until(false))) throw new AlarmError(`${watched} did not end.`);
};

const commandsOf = (alarm: string, { requestId = '' }: RunbookValues = {}): readonly string[] => {
  const section = readRunbook().find((one) => one.alarm === alarm);
  if (section === undefined) throw new Error(`The runbook has no section ${alarm}.`);
  return section.commands.map((command) => command.replaceAll('REQUEST-ID', requestId));
};
