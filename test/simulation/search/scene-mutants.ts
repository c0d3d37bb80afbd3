import { CUSTOMER_MISTAKES } from './customer-mistakes.ts';
import { ERASING_MISTAKES } from './erasing-mistakes.ts';
import { FORMER_RECEIVING_DEFECTS } from './former-receiving-defects.ts';
import { FORMER_SENDING_DEFECTS } from './former-sending-defects.ts';
import { MANAGING_MISTAKES } from './managing-mistakes.ts';
import { PUBLISHING_MISTAKES } from './publishing-mistakes.ts';
import { RECEIVING_MISTAKES } from './receiving-mistakes.ts';
import { SENDING_MISTAKES } from './sending-mistakes.ts';

/** Every function that is broken on purpose. */
export const SCENE_MUTANTS = {
  ...SENDING_MISTAKES,
  ...FORMER_SENDING_DEFECTS,
  ...RECEIVING_MISTAKES,
  ...FORMER_RECEIVING_DEFECTS,
  ...PUBLISHING_MISTAKES,
  ...MANAGING_MISTAKES,
  ...ERASING_MISTAKES,
  ...CUSTOMER_MISTAKES,
};
