import { Hash } from 'node:crypto';
import { parseAst } from 'vite';

/** What the code of a module that can run contains. */
export interface LiveCode {
  readonly strings: ReadonlySet<string>;
  /** The names of the classes of which it creates objects. */
  readonly created: ReadonlySet<string>;
}

interface SyntaxNode {
  readonly type: string;
  readonly [field: string]: unknown;
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const nodesIn = (value: unknown): readonly SyntaxNode[] => (Array.isArray(value) ? value : [value]).filter(isNode);

/** Names of methods that JavaScript's own objects have, too. */
const BUILT_IN = new Set(
  [Array, Hash, Map, Promise, RegExp, Set, String, URLSearchParams].flatMap(({ prototype }) =>
    Object.getOwnPropertyNames(prototype),
  ),
);

/** esbuild adds a number to a name that several modules declare. */
const TABLE = /table\d*$/i;

/**
 * Returns what can run in a bundle of ES modules, from its exports. A declaration is live if live code names it, and a
 * method of an object if live code gets a property with its name from any object. So it finds too much rather than too
 * little, with one exception: a method with the name of a built-in one is live only if it is called on a `table`.
 */
export const liveCode = (bundle: string): LiveCode => {
  const declared = new Map<string, SyntaxNode[]>();
  const methods = new Map<string, SyntaxNode[]>();
  const named = new Set<string>();
  const gotten = new Set<string>();
  const strings = new Set<string>();
  const created = new Set<string>();
  const pending: SyntaxNode[] = [];

  const name = (identifier: string): void => {
    if (named.has(identifier)) return;
    named.add(identifier);
    pending.push(...(declared.get(identifier) ?? []));
  };
  const get = (property: string, owner: string | undefined): void => {
    if (BUILT_IN.has(property) && !TABLE.test(owner ?? '')) return;
    gotten.add(property);
    pending.push(...(methods.get(property) ?? []));
  };
  const visitProperty = (property: SyntaxNode): void => {
    const key = property.computed === true ? undefined : staticName(property.key);
    const [value] = nodesIn(property.value);
    if (key === undefined || value === undefined || !isFunction(value)) {
      visitChildren(property);
      return;
    }
    methods.set(key, [...(methods.get(key) ?? []), value]);
    if (gotten.has(key)) pending.push(value);
  };
  const visitChildren = (node: SyntaxNode): void => {
    for (const child of Object.values(node).flatMap(nodesIn)) visit(child);
  };
  const visit = (node: SyntaxNode): void => {
    const [property] = nodesIn(node.property);
    switch (node.type) {
      case 'Identifier':
        name(String(node.name));
        return;
      case 'Literal':
        if (typeof node.value === 'string') strings.add(node.value);
        return;
      case 'NewExpression':
        for (const className of nodesIn(node.callee).map(lastName)) if (className) created.add(className);
        visitChildren(node);
        return;
      case 'MemberExpression':
        for (const owner of nodesIn(node.object)) visit(owner);
        if (node.computed === true && property !== undefined) visit(property);
        get(staticName(property) ?? '', nodesIn(node.object).map(lastName)[0]);
        return;
      case 'ObjectPattern':
        for (const one of nodesIn(node.properties)) get(staticName(one.key) ?? '', undefined);
        visitChildren(node);
        return;
      case 'ObjectExpression':
        for (const one of nodesIn(node.properties)) visitProperty(one);
        return;
      default:
        visitChildren(node);
    }
  };

  for (const statement of parseAst(bundle).body.flatMap(nodesIn).flatMap(statementsOf)) {
    const declarations = declarationsIn(statement);
    for (const [pattern, value] of declarations) {
      for (const bound of namesIn(pattern)) declared.set(bound, [...(declared.get(bound) ?? []), value]);
    }
    if (declarations.length === 0 && !DECLARES.has(statement.type)) pending.push(statement);
  }
  const visited = new Set<SyntaxNode>();
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (visited.has(node)) continue;
    visited.add(node);
    visit(node);
  }
  return { strings, created };
};

/** Statements that run nothing of their own. The value of a variable counts only if the variable is live. */
const DECLARES = new Set(['ClassDeclaration', 'FunctionDeclaration', 'ImportDeclaration', 'VariableDeclaration']);

const isFunction = ({ type }: SyntaxNode): boolean =>
  type === 'ArrowFunctionExpression' || type === 'FunctionExpression';

/** Returns the name of a property, or undefined if it is computed at run time. */
const staticName = (key: unknown): string | undefined => {
  const [node] = nodesIn(key);
  if (node?.type === 'Identifier') return String(node.name);
  return typeof node?.value === 'string' ? node.value : undefined;
};

/** Returns `b` for both `b` and `a.b`. */
const lastName = (node: SyntaxNode): string | undefined =>
  staticName(node.type === 'MemberExpression' ? node.property : node);

/** Returns a statement, or those of the function in which esbuild puts a module that is imported dynamically. */
const statementsOf = (statement: SyntaxNode): readonly SyntaxNode[] => {
  const [call] = nodesIn(statement.declarations).flatMap(({ init }) => nodesIn(init));
  if (call?.type !== 'CallExpression' || nodesIn(call.callee).map(lastName)[0] !== '__esm') return [statement];
  return nodesIn(call.arguments)
    .flatMap(({ properties }) => nodesIn(properties))
    .flatMap(({ value }) => nodesIn(value))
    .flatMap(({ body }) => nodesIn(body))
    .flatMap(({ body }) => nodesIn(body));
};

type Declaration = readonly [pattern: SyntaxNode, value: SyntaxNode];

/** Returns what a statement of a module declares. Imports are not part of the bundle. */
const declarationsIn = (statement: SyntaxNode): readonly Declaration[] => {
  const [id] = nodesIn(statement.id);
  if (id !== undefined) return [[id, statement]];
  const assigned = nodesIn(statement.expression).filter(({ type }) => type === 'AssignmentExpression');
  const pairs = [
    ...assigned.map(({ left, right }) => [left, right]),
    ...nodesIn(statement.declarations).map(({ id: pattern, init }) => [pattern, init]),
  ];
  return pairs.flatMap(([pattern, value]) =>
    nodesIn(pattern)
      .filter(({ type }) => type !== 'MemberExpression')
      .flatMap((one) => nodesIn(value).map((other): Declaration => [one, other])),
  );
};

const namesIn = (pattern: SyntaxNode): readonly string[] =>
  pattern.type === 'Identifier'
    ? [String(pattern.name)]
    : [pattern.properties, pattern.value, pattern.argument, pattern.elements].flatMap(nodesIn).flatMap(namesIn);
