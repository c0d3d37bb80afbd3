import type { ManagementError } from '../operations/management-client.ts';

/**
 * Which option or argument fills each field of a request: an option by its name in code, such as `messageId` for
 * `--message-id`, and an argument as the help shows it, such as `<contact>`.
 */
export type FieldSources = Readonly<Record<string, string>>;

/**
 * Returns the fields that the values of options and arguments fill, without those that were not given. The same sources
 * name them in errors, so a field cannot be filled by one option and be reported as another.
 */
export const fieldsFrom = <Values extends object>(
  values: Values,
  sources: Readonly<Record<string, keyof Values & string>>,
): Readonly<Record<string, Values[keyof Values & string] & {}>> =>
  Object.fromEntries(
    Object.entries(sources).flatMap(([field, source]) => {
      const value = values[source];
      return value === undefined || value === null ? [] : [[field, value] as const];
    }),
  );

/** Returns a query with the fields that the values of options and arguments fill. */
export const queryFrom = <Values extends object>(
  values: Values,
  sources: Readonly<Record<string, keyof Values & string>>,
): URLSearchParams =>
  new URLSearchParams(
    Object.entries(fieldsFrom(values, sources)).map(([field, value]): [string, string] => [field, String(value)]),
  );

/** Describes faults of a request with the options and arguments that filled its fields. */
export const describeFaults = (faults: ManagementError['faults'], sources: FieldSources): string => {
  const described = faults.map(({ field, fault, value }) => {
    const named = nameField(field, sources) ?? (field.startsWith('the ') ? 'the request' : field);
    const got = value === undefined ? '' : ` (got ${value})`;
    return `${named} ${nameFieldsIn(fault, sources)}${got}`;
  });
  const [first = '', ...others] = described;
  return `${[`${first.charAt(0).toUpperCase()}${first.slice(1)}`, ...others].join('; ')}.`;
};

/** Returns the option or argument that filled a field, such as `--param name` for `params.name`. */
const nameField = (path: string, sources: FieldSources): string | undefined => {
  const [field = '', ...rest] = path.split('.');
  const source = Object.hasOwn(sources, field) ? sources[field] : undefined;
  if (source === undefined) return undefined;
  return [nameOf(source), ...rest.filter((part) => !/^\d+$/.test(part))].join(' ');
};

const nameOf = (source: string): string =>
  /^[<[]/.test(source) ? source : `--${source.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Names the other fields that a fault mentions: in backticks, or as one word with a capital letter inside. */
const nameFieldsIn = (fault: string, sources: FieldSources): string =>
  fault.replace(/`(\w+)`|\b[a-z]+[A-Z]\w*\b/g, (word, quoted) => nameField(quoted ?? word, sources) ?? word);
