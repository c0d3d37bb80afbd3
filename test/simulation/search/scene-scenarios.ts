import type { Fault } from '../world/faults.ts';
import { CUSTOMER_SCENARIOS } from './customer-scenarios.ts';
import { ERASING_SCENARIOS } from './erasing-scenarios.ts';
import { FAILING_SCENARIOS } from './failing-scenarios.ts';
import { MANAGING_SCENARIOS } from './managing-scenarios.ts';
import { PUBLISHING_SCENARIOS } from './publishing-scenarios.ts';
import { RECEIVING_SCENARIOS } from './receiving-scenarios.ts';
import type { SceneOptions } from './scene-options.ts';
import { SENDING_SCENARIOS } from './sending-scenarios.ts';

/** A scene to search. */
export interface SceneScenario {
  /** The use case, as docs/scenarios.md names it. */
  readonly useCase: string;
  readonly about: string;
  readonly options: SceneOptions;
  /** The maximum number of faults in a run. Lower if two would take more than a minute. @default 2 */
  readonly maxFaults?: number;
  /** The faults, one in a run, of the part that runs in `npm test`. @default none */
  readonly slice?: readonly Fault[];
  /** Left out of `npm test`. */
  readonly isSlow?: boolean;
}

export const SCENE_SCENARIOS = {
  ...SENDING_SCENARIOS,
  ...RECEIVING_SCENARIOS,
  ...PUBLISHING_SCENARIOS,
  ...MANAGING_SCENARIOS,
  ...FAILING_SCENARIOS,
  ...ERASING_SCENARIOS,
  ...CUSTOMER_SCENARIOS,
} as const satisfies Record<string, SceneScenario>;

export type SceneScenarioName = keyof typeof SCENE_SCENARIOS;
