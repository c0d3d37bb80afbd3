import { contactKey } from '../../../lambdas/domain/contact.ts';
import type { History } from './history.ts';
import { unusualFeatures } from './simplify-features.ts';

/** Describes a history: its features, its faults, and the number of acts of each kind. */
export const describeHistory = ({ seed, features, acts, faults }: History): string => {
  const unusual = unusualFeatures(features).map(([path, value]) => `${path} ${describeValue(value)}`);
  const kinds = [...Map.groupBy(acts, ({ kind }) => kind)].map(([kind, { length }]) => `${length} ${kind}`);
  const contacts = new Set(acts.flatMap((act) => ('contact' in act ? [contactKey(act.contact)] : [])));
  return [
    `seed ${seed}`,
    `  features: ${unusual.join(', ') || 'plain'}`,
    ...(faults ? [`  faults: ${faults.join(', ') || 'none'}`] : []),
    `  acts: ${kinds.join(', ') || 'none'}`,
    `  contacts that act: ${contacts.size}`,
  ].join('\n');
};

const describeValue = (value: unknown): string => {
  if (typeof value === 'number' && !Number.isInteger(value)) return value.toPrecision(2);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};
