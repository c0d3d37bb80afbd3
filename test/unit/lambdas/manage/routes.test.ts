import { describe, expect, it } from 'vitest';
import type { Answer } from '../../../../lambdas/manage/api.ts';
import { ROUTES, type RouteName } from '../../../../lambdas/manage/routes.ts';
import { testTables } from '../../../support/test-tables.ts';
import { createManagedStage } from './managed-stage.ts';

const tables = testTables();

const isRouteName = (name: string): name is RouteName => Object.hasOwn(ROUTES, name);
const names = Object.keys(ROUTES).filter(isRouteName);
const ignoresQuery = (name: RouteName) => ROUTES[name].route.startsWith('POST ') || name === 'getStage';
const query = { unknown: '1' };

const idRoutes = names.flatMap((name) => {
  const [, idName] = /\{(\w+)\+?\}/.exec(ROUTES[name].route) ?? [];
  return idName === undefined ? [] : [[name, idName] as const];
});

describe('an id in the query', () => {
  it.each(idRoutes)('is that of the resource for %s, which has %s in its path', async (name, idName) => {
    const stage = await createManagedStage(tables);
    const id = 'what?is/this&that=1';
    const inPath = await stage.call(name, { id });

    const inQuery = await stage.call(name, { id: '-', query: { [idName]: id } });

    // Each erasure has its own id.
    const withoutIds = ({ status, body }: Answer) => JSON.stringify([status, body]).replaceAll(/"id-\d+"/g, '"id"');
    expect(withoutIds(inQuery)).toBe(withoutIds(inPath));
    expect(stage.queuedErasures[0]?.contact).toEqual(stage.queuedErasures[1]?.contact);
  });

  it.each(idRoutes)('is refused by %s beside another one in the path', async (name, idName) => {
    const stage = await createManagedStage(tables);
    expect(await stage.call(name, { id: 'what', query: { [idName]: 'what?is' } })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(`${idName}: replace the ID in the path with -`) },
    });
  });
});

describe('a query parameter that no route has', () => {
  it.each(names.filter(ignoresQuery))('is ignored by %s', async (name) => {
    const stage = await createManagedStage(tables);
    expect(await stage.call(name, { body: {}, query })).toEqual(await stage.call(name, { body: {} }));
  });

  it.each(names.filter((name) => !ignoresQuery(name)))('is refused by %s', async (name) => {
    const stage = await createManagedStage(tables);
    expect(await stage.call(name, { id: 'x', query })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST', message: expect.stringContaining('unknown') },
    });
  });
});
