import type { Tone } from '../components/tone.ts';
import type { Orderable } from './order-steps.ts';

/** Where a step happened. */
export type StepSource = 'user' | 'webhook' | 'table' | 'queue' | 'decision' | 'service' | 'bus';

export type TimelineStep = Orderable & {
  readonly source: StepSource;
  readonly title: string;
  readonly tone: Tone;
  /** The reason or the result, as a sentence. */
  readonly detail?: string;
  readonly ids?: readonly StepId[];
  /** The ID of a request that the step has created, and which has a timeline of its own. */
  readonly requestId?: string;
  readonly bodies: readonly StepBody[];
};

/** An ID to copy. */
export interface StepId {
  readonly name: string;
  readonly value: string;
}

export interface StepBody {
  readonly name: string;
  readonly value: unknown;
}

/** Shows an item of the table, if there is one. */
export const itemBodies = (item: string | undefined, name = 'Table item'): readonly StepBody[] =>
  item === undefined ? [] : [{ name, value: item }];

/** Returns the IDs that are known. */
export const idsOf = (values: Readonly<Record<string, string | null | undefined>>): readonly StepId[] =>
  Object.entries(values).flatMap(([name, value]) => (value ? { name, value } : []));

/** Joins sentences, with or without a final period. Returns undefined if there are none. */
export const sentences = (...parts: readonly (string | undefined)[]): string | undefined => {
  const given = parts.filter((part) => part !== undefined && part !== '');
  return given.length === 0 ? undefined : given.map((part) => `${part?.replace(/\.$/, '')}.`).join(' ');
};
