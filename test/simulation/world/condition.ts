import { isDeepStrictEqual } from 'node:util';

/** What an expression refers to. */
export interface Operands {
  readonly item: Readonly<Record<string, unknown>>;
  /** The attribute of a name placeholder, such as `#state`. Undefined if the request does not declare it. */
  nameOf(placeholder: string): string | undefined;
  /** The value of a placeholder such as `:state`. */
  valueOf(placeholder: string): unknown;
}

/** A parsed condition, or key condition, with the placeholders that it uses. */
export interface Condition {
  readonly placeholders: readonly string[];
  holds(operands: Operands): boolean;
}

type Node = (operands: Operands) => boolean;
type Operand = (operands: Operands) => unknown;

const TOKEN = /\s*(?:([#:][A-Za-z0-9_]+)|(<=|>=|<>|[<>=(),])|([A-Za-z_]+))/y;

const parsed = new Map<string, Condition>();

/**
 * Parses the part of DynamoDB's condition syntax that Parley uses. Anything else is an error, never ignored. `size` is
 * one: DynamoDB Local refuses that of a missing attribute, and AWS does not document it.
 *
 * Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html
 */
export const parseCondition = (expression: string): Condition => {
  const known = parsed.get(expression);
  if (known) return known;
  const condition = createCondition(expression);
  parsed.set(expression, condition);
  return condition;
};

const createCondition = (expression: string): Condition => {
  const tokens = tokenize(expression);
  let next = 0;
  const peek = () => tokens[next];
  const fail = (): never => {
    throw new Error(`The simulated table does not know this syntax at "${peek() ?? 'the end'}": ${expression}`);
  };
  const take = (wanted?: string): string => {
    const token = tokens[next];
    if (token === undefined || (wanted !== undefined && token !== wanted)) return fail();
    next += 1;
    return token;
  };

  const operand = (): Operand => {
    const token = take();
    if (token.startsWith('#')) return (given) => given.item[declared(token, given.nameOf(token))];
    if (token.startsWith(':')) return (given) => declared(token, given.valueOf(token));
    return fail();
  };
  const operands = (): readonly Operand[] => {
    take('(');
    const list = [operand()];
    while (peek() === ',') {
      take(',');
      list.push(operand());
    }
    take(')');
    return list;
  };

  const predicate = (): Node => {
    const functionName = peek();
    if (functionName !== undefined && Object.hasOwn(FUNCTIONS, functionName)) {
      take();
      const [first, second, ...rest] = operands();
      if (first === undefined || rest.length > 0) return fail();
      return FUNCTIONS[functionName as keyof typeof FUNCTIONS](first, second) ?? fail();
    }
    const left = operand();
    const operator = take();
    if (operator === 'IN') {
      const members = operands();
      return (given) => members.some((member) => isEqual(left(given), member(given)));
    }
    if (operator === 'BETWEEN') {
      const from = operand();
      take('AND');
      const to = operand();
      return (given) => isOrdered(from(given), left(given)) && isOrdered(left(given), to(given));
    }
    const right = operand();
    switch (operator) {
      case '=':
        return (given) => isEqual(left(given), right(given));
      case '<>':
        return (given) => !isEqual(left(given), right(given));
      case '<':
        return (given) => isOrdered(left(given), right(given)) && left(given) !== right(given);
      case '<=':
        return (given) => isOrdered(left(given), right(given));
      case '>':
        return (given) => isOrdered(right(given), left(given)) && left(given) !== right(given);
      case '>=':
        return (given) => isOrdered(right(given), left(given));
      default:
        return fail();
    }
  };

  const factor = (): Node => {
    if (peek() === 'NOT') {
      take();
      const negated = factor();
      return (given) => !negated(given);
    }
    if (peek() !== '(') return predicate();
    take('(');
    const inner = disjunction();
    take(')');
    return inner;
  };
  const conjunction = (): Node => {
    const parts = [factor()];
    while (peek() === 'AND') {
      take();
      parts.push(factor());
    }
    return (given) => parts.every((part) => part(given));
  };
  const disjunction = (): Node => {
    const parts = [conjunction()];
    while (peek() === 'OR') {
      take();
      parts.push(conjunction());
    }
    return (given) => parts.some((part) => part(given));
  };

  const holds = disjunction();
  if (next < tokens.length) fail();
  return { placeholders: [...new Set(tokens.filter((token) => /^[#:]/.test(token)))], holds };
};

const FUNCTIONS = {
  attribute_exists: (attribute: Operand, more?: Operand): Node | undefined =>
    more ? undefined : (given) => attribute(given) !== undefined,
  attribute_not_exists: (attribute: Operand, more?: Operand): Node | undefined =>
    more ? undefined : (given) => attribute(given) === undefined,
  begins_with: (attribute: Operand, prefix?: Operand): Node | undefined =>
    prefix &&
    ((given) => {
      const value = attribute(given);
      return typeof value === 'string' && value.startsWith(String(prefix(given)));
    }),
  contains: (attribute: Operand, part?: Operand): Node | undefined =>
    part &&
    ((given) => {
      const value = attribute(given);
      return value instanceof Set
        ? value.has(part(given))
        : typeof value === 'string' && value.includes(String(part(given)));
    }),
};

const tokenize = (expression: string): readonly string[] => {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < expression.trimEnd().length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(expression);
    if (!match) throw new Error(`The simulated table cannot read this expression at character ${at}: ${expression}`);
    tokens.push(match[0].trim());
  }
  return tokens;
};

const declared = <Value>(placeholder: string, value: Value | undefined): Value => {
  if (value === undefined) throw new Error(`The expression uses ${placeholder}, which the request does not declare.`);
  return value;
};

const isEqual = (one: unknown, other: unknown): boolean =>
  one !== undefined && (typeof one === 'object' ? isDeepStrictEqual(one, other) : one === other);

/** Whether `one` is not greater than `other`; false for a missing attribute and for values of different types. */
const isOrdered = (one: unknown, other: unknown): boolean => {
  if (typeof one === 'number' && typeof other === 'number') return one <= other;
  return (
    typeof one === 'string' && typeof other === 'string' && Buffer.compare(Buffer.from(one), Buffer.from(other)) <= 0
  );
};
