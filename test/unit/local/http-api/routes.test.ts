import { describe, expect, it } from 'vitest';
import { matchRoute } from '../../../../local/http-api/routes.ts';

describe('routes', () => {
  const routeKeys = [
    '$default',
    'ANY /pets/{id}',
    'GET /pets/{id}',
    'GET /pets/new',
    'GET /{proxy+}',
    'GET /pets/{id}/toys',
  ];

  it.each([
    ['GET', '/pets/new', 'GET /pets/new', {}],
    ['GET', '/pets/7', 'GET /pets/{id}', { id: '7' }],
    ['PUT', '/pets/7', 'ANY /pets/{id}', { id: '7' }],
    ['GET', '/pets/7/toys', 'GET /pets/{id}/toys', { id: '7' }],
    ['GET', '/pets/7/food', 'GET /{proxy+}', { proxy: 'pets/7/food' }],
    ['POST', '/pets', '$default', {}],
  ])('match %s %s with %s', (method, path, routeKey, pathParameters) => {
    expect(matchRoute(routeKeys, method, path)).toEqual({ routeKey, pathParameters });
  });

  it('match nothing if no route fits', () => {
    expect(matchRoute(['GET /pets'], 'GET', '/pets/7')).toBeUndefined();
  });
});
