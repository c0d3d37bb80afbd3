import type { Target } from '../cli/base/target.ts';
import type { ManagementClient } from '../cli/operations/management-client.ts';
import type { ParleyEvent } from '../lib/events.ts';
import type { StageSettings } from '../lib/settings/stage-settings.ts';

/** A stage to test, deployed or in a local run. */
export interface SmokeStage {
  readonly target: Target;
  readonly api: ManagementClient;
  readonly settings: StageSettings;
  /** The sandbox that the stage sends to. */
  readonly chatServiceUrl: string;
  readonly events: EventsQueue;
  /** How long to wait for something that the stage does by itself. */
  readonly patienceMs: number;
  /** How long alarms may take until CloudWatch has evaluated all of them. */
  readonly alarmPatienceMs: number;
  /** How many samples each measurement takes. */
  readonly samples: number;
  /** Waits until CloudWatch evaluates alarms again. */
  readonly untilNextEvaluation: () => Promise<void>;
  readonly now: () => Date;
}

/** A temporary queue that receives everything that the stage publishes. */
export interface EventsQueue {
  readonly name: string;
  /** Returns all events received so far. */
  receive(): Promise<readonly ParleyEvent[]>;
  /** Waits for the next events, at most a second, and returns them. */
  receiveNext(): Promise<readonly ParleyEvent[]>;
  remove(): Promise<void>;
}

/** What a test writes and sends, with a random part, so that tests do not find each other's data. */
export interface SmokeSubject {
  readonly id: string;
  readonly user: string;
  readonly inboundId: string;
  readonly requestId: string;
}

export interface SmokeStep<Stage = SmokeStage> {
  readonly title: string;
  /** @returns what was seen, in a few words. @throws an error that says what was expected and what was seen */
  readonly run: (stage: Stage, subject: SmokeSubject) => Promise<string>;
}
