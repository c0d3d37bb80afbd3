import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderSteps, totalMs } from '../../../../sandbox/console/page/activity/order-steps.ts';

const START_MS = Date.parse('2026-01-31T10:00:00.000Z');
const at = (ms: number): string => new Date(START_MS + ms).toISOString();
const namesOf = (steps: Parameters<typeof orderSteps<{ name: string; at?: string; isPending?: boolean }>>[0]) =>
  orderSteps(steps).map(({ step, sinceMs }) => `${step.name}${sinceMs === undefined ? '' : ` +${sinceMs}`}`);

describe('the order of steps', () => {
  it('is that of their times, with the time since the previous step', () => {
    const steps = [
      { name: 'POST', at: at(94) },
      { name: 'accepted', at: at(109) },
      { name: 'delivered', at: at(97) },
    ];

    expect(namesOf(steps)).toEqual(['POST', 'delivered +3', 'accepted +12']);
    expect(totalMs(orderSteps(steps))).toBe(15);
  });

  it('leaves a step without a time behind the one that caused it, and pending steps at the end', () => {
    const steps = [
      { name: 'queued' },
      { name: 'pending', isPending: true, at: at(1) },
      { name: 'webhook', at: at(20) },
      { name: 'stored' },
      { name: 'published', at: at(40) },
      { name: 'decision', at: at(10) },
    ];

    expect(namesOf(steps)).toEqual(['queued', 'decision', 'webhook +10', 'stored', 'published +20', 'pending']);
  });

  it('treats a time that cannot be read as none', () => {
    const steps = [
      { name: 'a', at: at(1) },
      { name: 'b', at: '<img onerror=alert(1)>' },
      { name: 'c', at: at(2) },
    ];

    expect(namesOf(steps)).toEqual(['a', 'b', 'c +1']);
    expect(totalMs(orderSteps(steps.slice(0, 2)))).toBeUndefined();
  });

  it('never runs backwards, and keeps the causal order of equal times, whatever the steps are', () => {
    const step = fc.record({ at: fc.option(fc.nat({ max: 5 }).map(at), { nil: undefined }), isPending: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const causal = steps.map((one, index) => ({ ...one, index }));
        const ordered = orderSteps(causal);
        const timed = ordered.filter(({ step }) => step.at !== undefined && !step.isPending);

        expect(ordered.map(({ step }) => step.index).toSorted((a, b) => a - b)).toEqual(
          causal.map(({ index }) => index),
        );
        for (const { sinceMs = 0 } of ordered) expect(sinceMs).toBeGreaterThanOrEqual(0);
        for (const [position, { step }] of timed.entries()) {
          const previous = timed[position - 1]?.step;
          if (previous?.at === step.at) expect(previous?.index).toBeLessThan(step.index);
          else if (previous?.at !== undefined) expect(previous.at < (step.at ?? '')).toBe(true);
        }
        for (const { step } of ordered.filter(
          ({ step: { at: time, isPending } }) => time === undefined && !isPending,
        )) {
          const cause = causal[step.index - 1];
          const positionOf = (index: number) => ordered.findIndex((one) => one.step.index === index);
          if (cause && !cause.isPending) expect(positionOf(cause.index)).toBe(positionOf(step.index) - 1);
        }
      }),
    );
  });
});
