import { describe, expect, it } from 'vitest';
import { drawPlan } from './draw-plan.ts';
import { createFaultDeck } from './fault-deck.ts';
import { CALL_FAULTS, KILLED_FUNCTIONS, OUTAGES, PART_NAMES, SANDBOX_FAULTS } from './parts.ts';
import type { FaultStep, LoadStep } from './plan.ts';

const FULL = { minutes: 10, eventsPerSecond: 50, sendsPerSecond: 20, seed: 1 };
const plan = drawPlan(FULL);
const ofKind = <Kind extends LoadStep['kind']>(kind: Kind) =>
  plan.load.filter((step): step is Extract<LoadStep, { kind: Kind }> => step.kind === kind);
const faultsOfKind = <Kind extends FaultStep['kind']>(kind: Kind) =>
  plan.faults.filter((step): step is Extract<FaultStep, { kind: Kind }> => step.kind === kind);

describe('the plan of a run', () => {
  it('is the same for the same seed, and another for another seed', () => {
    expect(drawPlan(FULL)).toEqual(plan);
    expect(drawPlan({ ...FULL, seed: 2 })).not.toEqual(plan);
  });

  it('has the rates that were asked for', () => {
    const events = [...ofKind('write'), ...ofKind('read'), ...ofKind('event')];
    expect(events).toHaveLength(30_000);
    expect(ofKind('send').filter(({ expected }) => expected !== 'reused')).toHaveLength(12_000);
  });

  it('has every kind of load', () => {
    const sends = ofKind('send');
    const fields = (name: string) => sends.filter((step) => step.fields[name] !== undefined).length;
    const kinds = {
      late: ofKind('write').filter(({ ageMs }) => ageMs > 0).length,
      repeatedEvents: ofKind('event').filter(({ times }) => times > 1).length,
      unreadable: ofKind('event').filter(({ expected }) => expected === 'unreadable').length,
      echoes: ofKind('event').filter(({ expected }) => expected === 'echo').length,
      freeForm: fields('messageText'),
      templates: fields('ruleNameOrId'),
      resent: sends.filter(({ fields: { onUncertain } }) => onUncertain === 'resend').length,
      scheduled: sends.filter(({ sendInMs }) => sendInMs !== undefined).length,
      repeatedRequests: sends.filter(({ times }) => times > 1).length,
      malformed: sends.filter(({ expected }) => expected === 'malformed').length,
      reused: sends.filter(({ expected }) => expected === 'reused').length,
      throughApi: sends.filter(({ via }) => via === 'api').length,
      optOuts: ofKind('consent').filter(({ consent }) => consent === 'opt-out').length,
      optIns: ofKind('consent').filter(({ consent }) => consent === 'opt-in').length,
      cancellations: ofKind('cancel').length,
      erasures: ofKind('erase').length,
    };
    expect(Object.entries(kinds).filter(([, count]) => count < 10)).toEqual([]);
  });

  it('ends the load of a contact when it is erased', () => {
    const erasedAt = new Map(ofKind('erase').map(({ contact, atMs }) => [contact, atMs]));
    const later = plan.load.filter(
      ({ kind, contact, atMs }) =>
        ['write', 'read', 'event', 'send'].includes(kind) && atMs > (erasedAt.get(contact) ?? Infinity),
    );
    expect(later.filter((step) => step.kind !== 'send' || step.expected !== 'reused')).toEqual([]);
  });

  it('has every timed fault', () => {
    const outages = new Set(faultsOfKind('outage').map(({ part, outage }) => `${part} ${outage}`));
    expect(outages.size).toBe(PART_NAMES.length * OUTAGES.length);
    expect(new Set(faultsOfKind('kill').map(({ functionName }) => functionName)).size).toBe(KILLED_FUNCTIONS.length);
    expect(new Set(faultsOfKind('sandbox').map(({ fault }) => fault)).size).toBe(SANDBOX_FAULTS.length);
  });
});

describe('the faults of the calls of a part', () => {
  const deal = (seed: number, calls: number) => {
    const deck = createFaultDeck(seed, 'part', { rate: 0.05, faults: CALL_FAULTS });
    return Array.from({ length: calls }, () => deck.next());
  };

  it('are the same for the same seed, and others for another seed', () => {
    expect(deal(1, 500)).toEqual(deal(1, 500));
    expect(deal(2, 500)).not.toEqual(deal(1, 500));
  });

  it('hit the share of the calls that was asked for, each fault as often as the others', () => {
    const faults = deal(1, 10_000).filter((fault) => fault !== undefined);
    expect(faults.length).toBeGreaterThan(400);
    expect(faults.length).toBeLessThan(600);
    const counts = CALL_FAULTS.map((fault) => faults.filter((one) => one === fault).length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });
});
