/** The value of an object with exactly one key, or nothing: intrinsic functions have that form. */
export const soleEntry = (value: unknown): readonly [key: string, argument: unknown] | undefined => {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  return entries.length === 1 ? entries[0] : undefined;
};

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An intrinsic function and its argument, or nothing for a plain value. */
export const intrinsicOf = (value: unknown): readonly [name: string, argument: unknown] | undefined => {
  const entry = soleEntry(value);
  return entry && (entry[0] === 'Ref' || entry[0] === 'Condition' || entry[0].startsWith('Fn::')) ? entry : undefined;
};

/** `Fn::GetAtt` in either of its forms: `['Id', 'Attribute']` or `'Id.Attribute'`. */
export const getAttTarget = (argument: unknown): readonly [logicalId: string, attribute: string] | undefined => {
  const [logicalId, attribute, ...rest] =
    typeof argument === 'string' ? splitOnce(argument, '.') : Array.isArray(argument) ? argument : [];
  return typeof logicalId === 'string' && typeof attribute === 'string' && rest.length === 0
    ? [logicalId, attribute]
    : undefined;
};

/** What `Fn::Sub` replaces in its text: `${Id}` and `${Id.Attribute}`, while `${!Literal}` stays as `${Literal}`. */
export const SUB_REFERENCE = /\$\{(!?)([^}]+)\}/g;

export const splitOnce = (text: string, separator: string): readonly string[] => {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
};
