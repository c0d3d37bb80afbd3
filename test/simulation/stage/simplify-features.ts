import { PLAIN_FEATURES } from './draw-features.ts';
import type { Features } from './history.ts';

type Values = Readonly<Record<string, unknown>>;

const PLAIN: ReadonlyMap<string, unknown> = new Map(Object.entries(PLAIN_FEATURES));

/** Returns the features in which they differ from {@link PLAIN_FEATURES}, such as `delivery.lateRate`, with their values. */
export const unusualFeatures = (features: Features): readonly (readonly [path: string, value: unknown])[] =>
  Object.entries(features).flatMap(([name, value]) => {
    const plain = PLAIN.get(name);
    if (!isValues(value) || !isValues(plain)) return Object.is(value, plain) ? [] : [[name, value] as const];
    return Object.entries(value)
      .filter(([key, inner]) => !Object.is(inner, plain[key]))
      .map(([key, inner]) => [`${name}.${key}`, inner] as const);
  });

/** Returns the features with one of them as in {@link PLAIN_FEATURES}. */
export const withPlain = (features: Features, path: string): Features => {
  const [name = '', key] = path.split('.');
  const plain = PLAIN.get(name);
  const value = new Map<string, unknown>(Object.entries(features)).get(name);
  if (key === undefined || !isValues(value) || !isValues(plain)) return { ...features, [name]: plain };
  const { [key]: _, ...others } = value;
  return { ...features, [name]: key in plain ? { ...others, [key]: plain[key] } : others };
};

const isValues = (value: unknown): value is Values => typeof value === 'object' && value !== null;
