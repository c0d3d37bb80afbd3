import { isObject, soleEntry } from '../base/json.ts';

/** Returns an intrinsic function and its argument, or undefined for a plain value. */
export const intrinsicOf = (value: unknown): readonly [name: string, argument: unknown] | undefined => {
  const entry = soleEntry(value);
  return entry && (entry[0] === 'Ref' || entry[0] === 'Condition' || entry[0].startsWith('Fn::')) ? entry : undefined;
};

/** Reads the argument of `Fn::GetAtt` in either form: `['Id', 'Attribute']` or `'Id.Attribute'`. */
export const getAttTarget = (argument: unknown): readonly [logicalId: string, attribute: string] | undefined => {
  const [logicalId, attribute, ...rest] =
    typeof argument === 'string' ? splitOnce(argument, '.') : Array.isArray(argument) ? argument : [];
  return typeof logicalId === 'string' && typeof attribute === 'string' && rest.length === 0
    ? [logicalId, attribute]
    : undefined;
};

/** Matches what `Fn::Sub` replaces: `${Id}` and `${Id.Attribute}`. `${!Literal}` becomes `${Literal}`. */
export const SUB_REFERENCE = /\$\{(!?)([^}]+)\}/g;

/** Returns every logical id that a value references with `Ref`, `Fn::GetAtt`, or `Fn::Sub`. */
export const referencesOf = (value: unknown): ReadonlySet<string> => {
  const found = new Set<string>();
  collectReferences(value, found);
  return found;
};

const collectReferences = (value: unknown, found: Set<string>): void => {
  const intrinsic = intrinsicOf(value);
  if (intrinsic) {
    const [name, argument] = intrinsic;
    if (name === 'Ref' && typeof argument === 'string') found.add(argument);
    if (name === 'Fn::GetAtt') found.add(getAttTarget(argument)?.[0] ?? '');
    if (name === 'Fn::Sub') for (const id of subReferences(argument)) found.add(id);
  }
  if (Array.isArray(value)) for (const item of value) collectReferences(item, found);
  else if (isObject(value)) for (const item of Object.values(value)) collectReferences(item, found);
};

const subReferences = (argument: unknown): string[] => {
  const template: unknown = Array.isArray(argument) ? argument[0] : argument;
  if (typeof template !== 'string') return [];
  return [...template.matchAll(SUB_REFERENCE)].flatMap(([, literal, name]) =>
    literal === '!' || name === undefined ? [] : [splitOnce(name, '.')[0] ?? name],
  );
};

const splitOnce = (value: string, separator: string): readonly string[] => {
  const at = value.indexOf(separator);
  return at < 0 ? [value] : [value.slice(0, at), value.slice(at + separator.length)];
};
