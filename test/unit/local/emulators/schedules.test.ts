import { expect, it } from 'vitest';
import { createMovableClock } from '../../../../local/base/clock.ts';
import { createSchedules } from '../../../../local/emulators/schedules.ts';

it('does not call the target of a schedule that was deleted after it became due', async () => {
  const clock = createMovableClock();
  await using schedules = createSchedules(clock, () => undefined);
  const called: string[] = [];
  const add = (name: string, seconds: number, invoke: () => void) =>
    schedules.add({
      name,
      groupName: 'default',
      clientToken: undefined,
      createdAt: clock.now(),
      dueAt: new Date(clock.now().getTime() + seconds * 1000),
      declaration: {},
      deadLetter: undefined,
      async invoke() {
        called.push(name);
        invoke();
      },
    });
  add('first', 3600, () => schedules.remove('default', 'second'));
  add('second', 3601, () => undefined);

  await clock.advance(7_200_000);

  expect(called).toEqual(['first']);
});
