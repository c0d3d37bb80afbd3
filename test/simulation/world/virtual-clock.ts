import type { Instant } from '../../../lambdas/domain/instant.ts';
import type { Clock } from '../../../lambdas/ports.ts';

/** A clock that stands still until it is moved. */
export interface VirtualClock extends Clock {
  readonly ms: number;
  moveTo(ms: number): void;
}

export const createVirtualClock = (start: Instant): VirtualClock => {
  let ms = Date.parse(start);
  let text: Instant | undefined = start;
  return {
    get ms() {
      return ms;
    },
    now() {
      text ??= new Date(ms).toISOString();
      return text;
    },
    moveTo(to) {
      if (to < ms) throw new Error('The clock only moves forward.');
      ms = to;
      text = undefined;
    },
  };
};
