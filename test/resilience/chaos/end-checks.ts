import { type Check, compareEach } from './check.ts';

const nothingWaits: Check = {
  name: 'nothing waits',
  compare({ waiting, deliveries }) {
    const counts = {
      ...waiting,
      'events at the chat service': deliveries.pending,
      'expired events': deliveries.expired,
    };
    return compareEach(
      Object.entries(counts),
      ([what]) => what,
      ([, count]) => (count === 0 ? undefined : `${count} left`),
    );
  },
};

const erasuresEnd: Check = {
  name: 'every erasure ends',
  compare: ({ erasures }) =>
    compareEach(
      erasures,
      ({ erasureId }) => erasureId,
      ({ state }) => (state === 'done' ? undefined : `is ${state}`),
    ),
};

const noOtherDeadLetters: Check = {
  name: 'no erasure, schedule, or change is a dead letter',
  compare: ({ deadLetters: { erasures, schedules, publishing } }) =>
    compareEach(
      Object.entries({ erasures, schedules, publishing }),
      ([, letters]) => letters[0]?.body.slice(0, 80) ?? '',
      ([queue, [first, ...others]]) =>
        first && `is a dead letter of ${queue}, with ${others.length} others: ${first.reason ?? 'without a reason'}`,
    ),
};

const tableKeepsItsLaws: Check = {
  name: 'the table keeps its laws',
  compare: ({ laws: { changes, items, violations } }) => ({
    compared: changes + items,
    violations: violations.map(({ law, key: { pk, sk }, fault }) => ({ id: `${pk} ${sk}`, why: `${law}: ${fault}` })),
  }),
};

export const END_CHECKS: readonly Check[] = [nothingWaits, erasuresEnd, noOtherDeadLetters, tableKeepsItsLaws];
