import { ERASING_MISTAKES } from './erasing-mistakes.ts';
import { MANAGING_MISTAKES } from './managing-mistakes.ts';
import { PUBLISHING_MISTAKES } from './publishing-mistakes.ts';

/** Every function that is broken on purpose. */
export const SCENE_MUTANTS = { ...PUBLISHING_MISTAKES, ...MANAGING_MISTAKES, ...ERASING_MISTAKES };
