import type { Table } from '../report.ts';
import { type Bill, billOf } from './bill.ts';
import { fixedCosts } from './fixed-costs.ts';
import { startMeters } from './meters.ts';
import type { EventKind, Phase, Subject } from './subject.ts';
import { readFacts, type TemplateFacts } from './template-facts.ts';
import { createUsageMeter, type Usage } from './usage.ts';

/** What was counted in a subject. */
export interface Counted {
  readonly name: string;
  readonly facts: TemplateFacts;
  readonly usages: ReadonlyMap<EventKind, Usage>;
  readonly fixed: Table;
  readonly retentionDays: number;
}

/** The events that someone puts on a queue, which is a request of its own. */
const QUEUED: ReadonlySet<EventKind> = new Set(['send, free-form', 'send, template']);

/** Runs a subject and counts what each kind of event uses. */
export const countUsage = async ({ name, start }: Subject, events: number): Promise<Counted> => {
  await using meters = await startMeters();
  await using running = await start(meters.interpose, events);
  const facts = readFacts(running.template);
  const measure = createUsageMeter(running, facts, meters);
  const usages = new Map<EventKind, Usage>();
  for (const phases of consecutive(running.phases)) {
    const kind = phases[0]?.kind;
    const times = phases.reduce((sum, phase) => sum + phase.times, 0);
    console.error(`${name}: ${times} × ${kind ?? 'not counted'}`);
    const run = async () => {
      for (const { times, invocations, act } of phases) {
        for (let index = 0; index < times; index += 1) await meters.causing(invocations, () => act(index));
      }
    };
    if (kind === undefined) await run();
    else usages.set(kind, await measure(times, run));
  }
  const fixed = fixedCosts(name, facts, running.cloud.logFolder);
  return { name, facts, usages, fixed, retentionDays: running.retentionDays };
};

/** Joins phases of one kind that follow each other, such as Delivered and Read, which are both statuses. */
const consecutive = (phases: readonly Phase[]): readonly (readonly Phase[])[] => {
  const groups: Phase[][] = [];
  for (const phase of phases) {
    const last = groups.at(-1);
    if (last !== undefined && last[0]?.kind === phase.kind) last.push(phase);
    else groups.push([phase]);
  }
  return groups;
};

export const usageFor = ({ name, usages }: Counted, kind: EventKind): Usage => {
  const usage = usages.get(kind);
  if (usage === undefined) throw new Error(`${name} has no phase of the kind "${kind}".`);
  return usage;
};

export const billFor = (counted: Counted, kind: EventKind): Bill =>
  billOf(usageFor(counted, kind), QUEUED.has(kind) ? 1 : 0);
