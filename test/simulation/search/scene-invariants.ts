import type { JournalCall } from '../world/journal.ts';
import type { ItemWrite } from '../world/table.ts';
import { CUSTOMER_INVARIANTS } from './customer-invariants.ts';
import { ERASING_INVARIANTS } from './erasing-invariants.ts';
import { MANAGING_INVARIANTS } from './managing-invariants.ts';
import { PUBLISHING_INVARIANTS } from './publishing-invariants.ts';
import { RECEIVING_INVARIANTS } from './receiving-invariants.ts';
import type { Scene } from './scene.ts';
import type { AnsweredCall } from './scene-view.ts';
import { SENDING_INVARIANTS } from './sending-invariants.ts';

/** An invariant of every run. Each check returns the violations. */
export interface SceneInvariant {
  readonly sentence: string;
  /** Before a call happens. */
  readonly atCall?: (scene: Scene, process: string, label: string) => string | undefined;
  /** At a call to a sending endpoint of the chat service. */
  readonly atSend?: (scene: Scene, call: JournalCall) => string | undefined;
  readonly atWrite?: (scene: Scene, write: ItemWrite) => string | undefined;
  /** When a call of the API is answered. */
  readonly atAnswer?: (scene: Scene, call: AnsweredCall) => string | undefined;
  readonly atEnd?: (scene: Scene, how: 'quiet' | 'endless') => string | undefined;
}

/** The invariants of all scenes. An invariant that does not apply to a scene finds nothing there. */
export const SCENE_INVARIANTS = {
  ...SENDING_INVARIANTS,
  ...RECEIVING_INVARIANTS,
  ...MANAGING_INVARIANTS,
  ...ERASING_INVARIANTS,
  ...CUSTOMER_INVARIANTS,
  ...PUBLISHING_INVARIANTS,
} as const satisfies Record<string, SceneInvariant>;

export type SceneInvariantName = keyof typeof SCENE_INVARIANTS;
