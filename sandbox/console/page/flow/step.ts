import type { Tone } from '../parts/badge.tsx';

/** The parts that a message passes. */
export type Part = 'user' | 'webhook' | 'table' | 'queue' | 'decision' | 'service' | 'bus';

/** What one part did with a message. */
export type Step = {
  readonly part: Part;
  readonly title: string;
  readonly tone: Tone;
  /** Why, or with what result, in a sentence. */
  readonly detail?: string;
  readonly at?: string;
  readonly bodies: readonly { readonly name: string; readonly value: unknown }[];
};

export type TableItem = Readonly<Record<string, unknown>>;

/** An item's attribute as text. */
export const textOf = (item: TableItem | undefined, name: string): string | undefined => {
  const value = item?.[name];
  return typeof value === 'string' ? value : undefined;
};
