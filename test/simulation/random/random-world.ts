import type { SendRequest } from '../../../lambdas/domain/send-request.ts';
import { NOW, sendRequest, templateRequest } from '../../support/builders.ts';
import type { StoredContact } from '../../support/contact-items.ts';
import type { InvariantName } from '../search/invariants.ts';
import { checkEnd, observedWorld } from '../search/search.ts';
import { optOut, status, userWrites } from '../world/events.ts';
import { FAULTS } from '../world/faults.ts';
import { LAMBDA_LIMIT_MS } from '../world/invocations.ts';
import type { Choose } from '../world/world.ts';
import type { QueuedRequest, WorldOptions } from '../world/world-options.ts';

export interface RandomRun {
  readonly violated: readonly { readonly invariant: InvariantName; readonly what: string }[];
  /** What happened, line by line. */
  readonly lines: readonly string[];
}

/** Runs a stage with several contacts and requests. Every choice is drawn from the seed, so the seed repeats the run. */
export const runRandomWorld = async (seed: number): Promise<RandomRun> => {
  const random = createRandom(seed);
  const violated: { invariant: InvariantName; what: string }[] = [];
  const lines: string[] = [];
  const report = (invariant: InvariantName, what: string) => {
    violated.push({ invariant, what });
    lines.push(`    VIOLATED ${invariant}: ${what}`);
  };
  const world = observedWorld(drawOptions(random), { maxFaults: 2, allowedFaults: FAULTS_ON_LAMBDA }, report);

  const choose: Choose = (alternatives) => {
    const isFaulty = random() < FAULT_PROBABILITY;
    const faulty = alternatives.filter(({ fault }) => fault !== undefined);
    const chosen = pick(random, isFaulty && faulty.length > 0 ? faulty : alternatives.filter(({ fault }) => !fault));
    const { process = '', label, fault } = chosen;
    lines.push(`${world.clock.now()}  ${process.padEnd(8)}${label}${fault ? `   ← ${fault}` : ''}`);
    return alternatives.indexOf(chosen);
  };
  const how = await world.run(choose);
  if (how !== 'abandoned') checkEnd(world, how, report);
  return { violated, lines };
};

/** On Lambda, a process cannot outlive its lease: an invocation ends before. */
const FAULTS_ON_LAMBDA = FAULTS.filter((fault) => fault !== 'late');
const FAULT_PROBABILITY = 0.04;

type Random = () => number;

/** Source: https://github.com/bryc/code/blob/master/jshash/PRNGs.md, "mulberry32" */
const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const pick = <Entry>(random: Random, entries: readonly Entry[]): Entry => {
  const entry = entries[Math.floor(random() * entries.length)];
  if (entry === undefined) throw new Error('There is nothing to pick from.');
  return entry;
};

const hoursBefore = (hours: number): string => new Date(Date.parse(NOW) - hours * 60 * 60 * 1000).toISOString();

const CONTACTS = ['+5491155550000', '+5491155550001', '+5491155550002'];

const drawOptions = (random: Random): WorldOptions => {
  const isLikely = (probability: number): boolean => random() < probability;
  const contacts: Record<string, StoredContact> = {};
  const lastWroteAt: Record<string, string> = {};
  for (const contact of CONTACTS) {
    const wroteAt = hoursBefore(pick(random, [1, 23.99, 30]));
    // Now and then, the chat service and Parley disagree about the window.
    lastWroteAt[contact] = isLikely(0.2) ? hoursBefore(30) : wroteAt;
    contacts[contact] = {
      lastInboundAt: wroteAt,
      ...(isLikely(0.7) && { optInAt: hoursBefore(1000) }),
      // A list that was imported later says otherwise.
      ...(isLikely(0.1) && { optOutAt: hoursBefore(500), importedOptInAt: hoursBefore(100) }),
    };
  }
  const queued: QueuedRequest[] = Array.from({ length: 6 }, (_, index) => {
    const request = drawRequest(random, `request-${index}`, pick(random, CONTACTS));
    return { request };
  });
  for (const one of queued.filter(() => isLikely(0.2))) {
    queued.push({ ...one, groupId: 'another-producer', deduplicationId: `again-${one.request.requestId}` });
  }
  const events = [
    ...(isLikely(0.5) ? [userWrites({ contact: pick(random, CONTACTS), afterMs: 1000 })] : []),
    ...(isLikely(0.3) ? [optOut(pick(random, CONTACTS))] : []),
    ...(isLikely(0.5) ? [status] : []),
  ];
  return {
    queued,
    contacts,
    lastWroteAt,
    events,
    rules: { clientPayload: 'all', contactCheck: isLikely(0.3) ? 'beforeFirstTemplate' : 'off' },
    batchSize: pick(random, [1, 10]),
    concurrency: 3,
    isWarm: true,
    prunes: false,
    limitMs: LAMBDA_LIMIT_MS,
    maxInvocations: 300,
    random,
    answerMs: () => pick(random, [0, 0, 200, 3_000]),
  };
};

const drawRequest = (random: Random, requestId: string, platformContactId: string): SendRequest => {
  const common = { requestId, platformContactId, ...(random() < 0.3 && { onUncertain: 'resend' as const }) };
  const freeForm = sendRequest({ ...common, messageText: `${requestId}: On its way.` });
  const template = templateRequest({ ...common, params: { name: requestId } });
  return pick(random, [
    freeForm,
    template,
    { ...template, ...freeForm },
    { ...freeForm, sendAt: '2026-11-20T14:00:00.000Z' },
    { ...freeForm, notAfter: '2026-11-20T12:00:20.000Z' },
  ]);
};
