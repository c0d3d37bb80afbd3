import { FORMAT_DEFECTS } from './format-defects.ts';
import { MANAGING_DEFECTS } from './managing-defects.ts';
import { PUBLISHING_DEFECTS } from './publishing-defects.ts';
import { RECEIVING_DEFECTS } from './receiving-defects.ts';
import { SENDING_DEFECTS } from './sending-defects.ts';
import type { StageDefect } from './stage-defect.ts';

/** All seeded defects. */
export const STAGE_DEFECTS: Readonly<Record<string, StageDefect>> = {
  ...RECEIVING_DEFECTS,
  ...FORMAT_DEFECTS,
  ...SENDING_DEFECTS,
  ...PUBLISHING_DEFECTS,
  ...MANAGING_DEFECTS,
};
