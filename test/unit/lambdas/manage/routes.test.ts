import { describe, expect, it } from 'vitest';
import { ROUTES, type RouteName } from '../../../../lambdas/manage/routes.ts';
import { testTables } from '../../../support/test-tables.ts';
import { createManagedStage } from './managed-stage.ts';

const tables = testTables();

const isRouteName = (name: string): name is RouteName => Object.hasOwn(ROUTES, name);
const names = Object.keys(ROUTES).filter(isRouteName);
const ignoresQuery = (name: RouteName) => ROUTES[name].route.startsWith('POST ') || name === 'getStage';
const query = { unknown: '1' };

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
