import { isObject } from '../base/json.ts';
import { LocalError, unsupported } from '../base/local-error.ts';
import { getAttTarget, intrinsicOf, SUB_REFERENCE } from './intrinsics.ts';

/** The values of a created resource. */
export interface CreatedResource {
  /** The value of `Ref`. */
  readonly ref: string;
  /** The values of `Fn::GetAtt`. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** The values that intrinsics are resolved to. */
export interface ResolverContext {
  /** The resources created so far. */
  readonly resources: ReadonlyMap<string, CreatedResource>;
  /** The values of all pseudo parameters, such as `AWS::Region`, except `AWS::NoValue`. */
  readonly pseudoParameters: Readonly<Record<string, string>>;
  readonly conditions: Readonly<Record<string, unknown>>;
  /** The local URL for each URL that exists only on AWS. Grows as resources are created. */
  readonly localUrls: ReadonlyMap<string, string>;
}

/** The location of a value in the template: the logical id, the type in parentheses, and the property. */
export type Place = string;

/**
 * Replaces a value's intrinsic functions with their results, and removes properties that are `AWS::NoValue`.
 *
 * @throws LocalError that names the place of an unsupported intrinsic or an unknown reference.
 * Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
 */
export const resolve = (value: unknown, place: Place, context: ResolverContext): unknown => {
  const intrinsic = intrinsicOf(value);
  if (intrinsic) return resolveIntrinsic(intrinsic, place, context);
  if (Array.isArray(value)) {
    return value
      .map((item, index) => resolve(item, `${place}[${index}]`, context))
      .filter((item) => item !== undefined);
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, item]) => [key, resolve(item, `${place}.${key}`, context)] as const)
      .filter(([, item]) => item !== undefined),
  );
};

const resolveIntrinsic = (
  [name, argument]: readonly [string, unknown],
  place: Place,
  context: ResolverContext,
): unknown => {
  const parts = (length: number): readonly unknown[] => {
    if (Array.isArray(argument) && argument.length === length) return argument;
    throw malformed(place, name);
  };
  const string = (part: unknown): string => {
    const result = resolve(part, place, context);
    if (typeof result === 'string' || typeof result === 'number') return String(result);
    throw new LocalError(`${place}: ${name} requires a string, not ${JSON.stringify(result)}.`);
  };
  const list = (part: unknown): readonly unknown[] => {
    const result = resolve(part, place, context);
    if (Array.isArray(result)) return result;
    throw new LocalError(`${place}: ${name} requires a list, not ${JSON.stringify(result)}.`);
  };
  switch (name) {
    case 'Ref':
      return argument === 'AWS::NoValue' ? undefined : reference(string(argument), place, context);
    case 'Fn::GetAtt': {
      const target = getAttTarget(argument);
      if (!target) throw malformed(place, name);
      return attribute(...target, place, context);
    }
    case 'Fn::Join': {
      const [separator, items] = parts(2);
      return localize(list(items).map(string).join(string(separator)), context);
    }
    case 'Fn::Sub':
      return localize(substitute(argument, place, context), context);
    case 'Fn::Select': {
      const [index, items] = parts(2);
      const item = list(items)[Number(string(index))];
      if (item === undefined) throw new LocalError(`${place}: Fn::Select has an index that is not in the list.`);
      return item;
    }
    case 'Fn::Split': {
      const [separator, whole] = parts(2);
      return string(whole).split(string(separator));
    }
    case 'Fn::If': {
      const [condition, whenTrue, whenFalse] = parts(3);
      return resolve(conditionHolds({ Condition: condition }, place, context) ? whenTrue : whenFalse, place, context);
    }
    default:
      throw unsupported(place, `the intrinsic function ${name}`, 'local/template/resolver.ts');
  }
};

const malformed = (place: Place, intrinsic: string): LocalError =>
  new LocalError(`${place}: ${intrinsic} is malformed.`);

const reference = (name: string, place: Place, { resources, pseudoParameters }: ResolverContext): string => {
  const value = resources.get(name)?.ref ?? pseudoParameters[name];
  if (value !== undefined) return value;
  throw new LocalError(
    `${place}: Ref names ${name}, which is neither a resource of this stack nor a supported pseudo parameter.`,
  );
};

const attribute = (logicalId: string, name: string, place: Place, { resources }: ResolverContext): string => {
  const resource = resources.get(logicalId);
  if (!resource) {
    throw new LocalError(`${place}: Fn::GetAtt names ${logicalId}, which is not a resource of this stack.`);
  }
  const value = resource.attributes[name];
  if (value !== undefined) return value;
  throw unsupported(place, `the attribute ${name} of ${logicalId}`, 'local/resources');
};

const substitute = (argument: unknown, place: Place, context: ResolverContext): string => {
  const [template, variables]: readonly unknown[] = Array.isArray(argument) ? argument : [argument, {}];
  if (typeof template !== 'string' || !isObject(variables)) throw malformed(place, 'Fn::Sub');
  return template.replace(SUB_REFERENCE, (_whole, literal: string, name: string) => {
    if (literal === '!') return `\${${name}}`;
    if (name in variables) return String(resolve(variables[name], place, context));
    const target = getAttTarget(name);
    return target ? attribute(...target, place, context) : reference(name, place, context);
  });
};

const localize = (value: string, { localUrls }: ResolverContext): string => {
  for (const [deployed, local] of localUrls) {
    if (value.startsWith(deployed)) return local + value.slice(deployed.length);
  }
  return value;
};

/** Evaluates a condition. @throws LocalError if the condition is not supported or does not exist. */
export const conditionHolds = (condition: unknown, place: Place, context: ResolverContext): boolean => {
  const [name, argument] = intrinsicOf(condition) ?? [];
  const holds = (part: unknown): boolean => conditionHolds(part, place, context);
  const parts: readonly unknown[] = Array.isArray(argument) ? argument : [];
  switch (name) {
    case 'Condition': {
      const named = typeof argument === 'string' ? context.conditions[argument] : undefined;
      if (named !== undefined) return holds(named);
      throw new LocalError(`${place}: the template has no condition ${JSON.stringify(argument)}.`);
    }
    case 'Fn::Equals':
      return JSON.stringify(resolve(parts[0], place, context)) === JSON.stringify(resolve(parts[1], place, context));
    case 'Fn::And':
      return parts.every(holds);
    case 'Fn::Or':
      return parts.some(holds);
    case 'Fn::Not':
      return !holds(parts[0]);
    default:
      throw unsupported(place, `the condition ${JSON.stringify(condition)}`, 'local/template/resolver.ts');
  }
};
