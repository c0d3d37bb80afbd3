import type { ItemWrite } from '../world/table.ts';
import { ERASING_INVARIANTS } from './erasing-invariants.ts';
import { MANAGING_INVARIANTS } from './managing-invariants.ts';
import { PUBLISHING_INVARIANTS } from './publishing-invariants.ts';
import type { Scene } from './scene.ts';
import type { AnsweredCall } from './scene-view.ts';

/** A sentence that must hold in every run. Each check returns what contradicts it. */
export interface SceneInvariant {
  readonly sentence: string;
  /** Before a call happens. */
  readonly atCall?: (scene: Scene, process: string, label: string) => string | undefined;
  readonly atWrite?: (scene: Scene, write: ItemWrite) => string | undefined;
  /** When a call of the API is answered. */
  readonly atAnswer?: (scene: Scene, call: AnsweredCall) => string | undefined;
  readonly atEnd?: (scene: Scene, how: 'quiet' | 'endless') => string | undefined;
}

/** Each holds in every scene; one that is about something else says nothing there. */
export const SCENE_INVARIANTS = {
  ...MANAGING_INVARIANTS,
  ...ERASING_INVARIANTS,
  ...PUBLISHING_INVARIANTS,
} as const satisfies Record<string, SceneInvariant>;

export type SceneInvariantName = keyof typeof SCENE_INVARIANTS;
