import { expect, it } from 'vitest';
import { SEND_STATES } from '../../../../lambdas/domain/send-transitions.ts';
import { SEND_TONES } from '../../../../sandbox/console/page/components/tone.ts';

it('the console has a tone for every state of a send', () => {
  expect(Object.keys(SEND_TONES).toSorted()).toEqual(SEND_STATES.toSorted());
});
