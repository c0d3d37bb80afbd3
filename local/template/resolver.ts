import { LocalError } from '../local-error.ts';
import { getAttTarget, intrinsicOf, isObject, SUB_REFERENCE } from './intrinsics.ts';

/** What a created resource answers to `Ref` and `Fn::GetAtt`. */
export interface CreatedResource {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** What intrinsics are resolved against. */
export interface ResolverContext {
  readonly resources: ReadonlyMap<string, CreatedResource>;
  /** The values of pseudo parameters such as `AWS::Region`; all but `AWS::NoValue`. */
  readonly pseudoParameters: Readonly<Record<string, string>>;
  readonly conditions: Readonly<Record<string, unknown>>;
  /** Addresses that only exist on AWS, and where the same thing listens here; grows while resources are created. */
  readonly localAddresses: ReadonlyMap<string, string>;
}

/** Where a value stands: the logical id, the type in brackets, then the property. */
export type Place = string;

/**
 * Replaces a value's intrinsic functions by what they stand for; properties that are `AWS::NoValue` fall away.
 *
 * @throws LocalError that names the place, for an intrinsic or a reference that is not known here.
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
  const list = (length?: number): readonly unknown[] => {
    if (Array.isArray(argument) && (length === undefined || argument.length === length)) return argument;
    throw new LocalError(`${place}: ${name} is not written as CloudFormation asks.`);
  };
  const resolved = (part: unknown): unknown => resolve(part, place, context);
  const text = (part: unknown): string => {
    const result = resolved(part);
    if (typeof result === 'string' || typeof result === 'number') return String(result);
    throw new LocalError(`${place}: ${name} needs a text where it has ${JSON.stringify(result)}.`);
  };
  const listOf = (part: unknown): readonly unknown[] => {
    const result = resolved(part);
    if (Array.isArray(result)) return result;
    throw new LocalError(`${place}: ${name} needs a list where it has ${JSON.stringify(result)}.`);
  };
  switch (name) {
    case 'Ref':
      return argument === 'AWS::NoValue' ? undefined : reference(text(argument), place, context);
    case 'Fn::GetAtt': {
      const target = getAttTarget(argument);
      if (!target) throw new LocalError(`${place}: Fn::GetAtt is not written as CloudFormation asks.`);
      return attribute(...target, place, context);
    }
    case 'Fn::Join': {
      const [separator, parts] = list(2);
      return localized(listOf(parts).map(text).join(text(separator)), context);
    }
    case 'Fn::Sub':
      return localized(substitute(argument, place, context), context);
    case 'Fn::Select': {
      const [index, items] = list(2);
      const item = listOf(items)[Number(text(index))];
      if (item === undefined)
        throw new LocalError(`${place}: Fn::Select asks for an item that the list does not have.`);
      return item;
    }
    case 'Fn::Split': {
      const [separator, whole] = list(2);
      return text(whole).split(text(separator));
    }
    case 'Fn::If': {
      const [condition, whenTrue, whenFalse] = list(3);
      return resolved(conditionHolds({ Condition: condition }, place, context) ? whenTrue : whenFalse);
    }
    default:
      throw new LocalError(
        `${place}: the local run does not know the intrinsic function ${name}; teach it to local/template.`,
      );
  }
};

const reference = (name: string, place: Place, { resources, pseudoParameters }: ResolverContext): string => {
  const value = resources.get(name)?.ref ?? pseudoParameters[name];
  if (value !== undefined) return value;
  throw new LocalError(
    `${place}: Ref names ${name}, which is neither a resource of this run nor a known pseudo parameter.`,
  );
};

const attribute = (logicalId: string, name: string, place: Place, { resources }: ResolverContext): string => {
  const resource = resources.get(logicalId);
  if (!resource) throw new LocalError(`${place}: Fn::GetAtt names ${logicalId}, which is no resource of this run.`);
  const value = resource.attributes[name];
  if (value !== undefined) return value;
  throw new LocalError(`${place}: the local run does not know the attribute ${name} of ${logicalId}.`);
};

const substitute = (argument: unknown, place: Place, context: ResolverContext): string => {
  const [template, own]: readonly unknown[] = Array.isArray(argument) ? argument : [argument, {}];
  if (typeof template !== 'string' || !isObject(own)) {
    throw new LocalError(`${place}: Fn::Sub is not written as CloudFormation asks.`);
  }
  return template.replace(SUB_REFERENCE, (_whole, literal: string, name: string) => {
    if (literal === '!') return `\${${name}}`;
    if (name in own) return String(resolve(own[name], place, context));
    const target = getAttTarget(name);
    return target ? attribute(...target, place, context) : reference(name, place, context);
  });
};

const localized = (text: string, { localAddresses }: ResolverContext): string => {
  for (const [deployed, local] of localAddresses)
    if (text.startsWith(deployed)) return local + text.slice(deployed.length);
  return text;
};

/** Whether a condition holds. @throws LocalError for a condition that is not known here. */
export const conditionHolds = (condition: unknown, place: Place, context: ResolverContext): boolean => {
  const [name, argument] = intrinsicOf(condition) ?? [];
  const holds = (part: unknown): boolean => conditionHolds(part, place, context);
  const parts: readonly unknown[] = Array.isArray(argument) ? argument : [];
  switch (name) {
    case 'Condition': {
      const named = typeof argument === 'string' ? context.conditions[argument] : undefined;
      if (named === undefined)
        throw new LocalError(`${place}: the template has no condition ${JSON.stringify(argument)}.`);
      return holds(named);
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
      throw new LocalError(`${place}: the local run does not know the condition ${JSON.stringify(condition)}.`);
  }
};
