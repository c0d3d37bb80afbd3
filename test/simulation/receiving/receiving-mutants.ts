import { FORMER_RECEIVING_DEFECTS } from './former-receiving-defects.ts';
import { RECEIVING_MISTAKES } from './receiving-mistakes.ts';

/** Every function `receive` that is broken on purpose. */
export const RECEIVING_MUTANTS = { ...RECEIVING_MISTAKES, ...FORMER_RECEIVING_DEFECTS };
