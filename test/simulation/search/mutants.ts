import { FORMER_DEFECTS } from './former-defects.ts';
import { MISTAKES } from './mistakes.ts';

/** Every function that is broken on purpose. */
export const MUTANTS = { ...MISTAKES, ...FORMER_DEFECTS };
