/** A route that matches a request, with the values of its path variables. */
export interface MatchedRoute {
  readonly routeKey: string;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/**
 * Returns the most specific route that matches: full matches take precedence over greedy variables, methods over `ANY`,
 * and `$default` comes last.
 *
 * @param path The request's path, percent-decoded.
 * Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html, "Working with routes"
 */
export const matchRoute = (routeKeys: readonly string[], method: string, path: string): MatchedRoute | undefined => {
  let best: (MatchedRoute & { readonly rank: readonly number[] }) | undefined;
  for (const routeKey of routeKeys) {
    if (routeKey === '$default') continue;
    const [routeMethod = '', routePath = ''] = routeKey.split(' ');
    if (routeMethod !== method && routeMethod !== 'ANY') continue;
    const matched = matchPath(routePath, path);
    if (!matched) continue;
    const rank = [...matched.rank, routeMethod === 'ANY' ? 1 : 0];
    if (!best || compare(rank, best.rank) < 0) best = { routeKey, pathParameters: matched.pathParameters, rank };
  }
  if (best) return { routeKey: best.routeKey, pathParameters: best.pathParameters };
  return routeKeys.includes('$default') ? { routeKey: '$default', pathParameters: {} } : undefined;
};

interface MatchedPath {
  readonly pathParameters: Record<string, string>;
  /** For each segment, 0 for a literal, 1 for a variable, or 2 for a greedy variable. Lower is more specific. */
  readonly rank: readonly number[];
}

const matchPath = (routePath: string, path: string): MatchedPath | undefined => {
  const pattern = routePath.split('/').slice(1);
  const segments = path.split('/').slice(1);
  const pathParameters: Record<string, string> = {};
  const rank: number[] = [];
  for (const [index, part] of pattern.entries()) {
    const [, name, greedy] = /^\{([^}+]+)(\+?)\}$/.exec(part) ?? [];
    const segment = segments[index];
    if (name !== undefined && greedy) {
      const rest = segments.slice(index).join('/');
      if (rest === '') return undefined;
      return { pathParameters: { ...pathParameters, [name]: rest }, rank: [...rank, 2] };
    }
    if (segment === undefined || (name === undefined ? segment !== part : segment === '')) return undefined;
    if (name !== undefined) pathParameters[name] = segment;
    rank.push(name === undefined ? 0 : 1);
  }
  return segments.length === pattern.length ? { pathParameters, rank } : undefined;
};

const compare = (left: readonly number[], right: readonly number[]): number => {
  const index = left.findIndex((value, at) => value !== right[at]);
  return index < 0 ? 0 : (left[index] ?? 0) - (right[index] ?? 0);
};
