import { describe, expect, it } from 'vitest';
import { AwsServiceError } from '../../../../../lambdas/adapters/aws-service-error.ts';
import * as z from '../../../../../lambdas/domain/schema.ts';
import type { Answer } from '../../../../../lambdas/manage/api/answer.ts';
import type { RouteName } from '../../../../../lambdas/manage/api/route-name.ts';
import { ROUTES } from '../../../../../lambdas/manage/api/routes.ts';
import { USER } from '../../../../support/builders.ts';
import type { EmulatedTables } from '../../../../support/emulated-table.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createManagedStage } from '../managed-stage.ts';

const tables = testTables();

const isRouteName = (name: string): name is RouteName => Object.hasOwn(ROUTES, name);
const names = Object.keys(ROUTES).filter(isRouteName);
/** A misspelled `dryRun` would send. */
const ignoresQuery = (name: RouteName) =>
  (ROUTES[name].route.startsWith('POST ') && name !== 'enqueueSend') || name === 'getStage';
const query = { unknown: '1' };

const idRoutes = names.flatMap((name) => {
  const [, idName] = /\{(\w+)\+?\}/.exec(ROUTES[name].route) ?? [];
  return idName === undefined ? [] : [[name, idName] as const];
});
/** The routes to whose paths a policy confines a caller, so that an ID in the query must not replace the one there. */
const confined = idRoutes.filter(([name]) => ROUTES[name].route.startsWith('PUT '));
const inQueryToo = idRoutes.filter((route) => !confined.includes(route));

describe('an id in the query', () => {
  it.each(inQueryToo)(
    'is accepted as the ID of the resource for %s, which has %s in its path',
    async (name, idName) => {
      const stage = await createManagedStage(tables);
      const id = 'what?is/this&that=1';
      const inPath = await stage.call(name, { id });

      const inQuery = await stage.call(name, { id: '-', query: { [idName]: id } });

      // Each erasure has its own id.
      const withoutIds = ({ status, body }: Answer) => JSON.stringify([status, body]).replaceAll(/"id-\d+"/g, '"id"');
      expect(withoutIds(inQuery)).toBe(withoutIds(inPath));
      expect(stage.queuedErasures[0]?.contact).toEqual(stage.queuedErasures[1]?.contact);
    },
  );

  it.each(confined)('is refused by %s, whose caller a policy may confine to the path', async (name, idName) => {
    const stage = await createManagedStage(tables);
    const query = { [idName]: 'other-1' };
    for (const id of ['-', 'billing-1', '']) {
      expect(await stage.call(name, { id, query, body: {} })).toMatchObject({ status: 400 });
    }
  });

  it.each(idRoutes)('is refused by %s beside another one in the path', async (name, idName) => {
    const stage = await createManagedStage(tables);
    expect(await stage.call(name, { id: 'what', query: { [idName]: 'what?is' } })).toMatchObject({
      status: 400,
      body: {
        message: expect.stringContaining(`${idName}: is in the query, so the path must have - in place of the ID`),
      },
    });
  });
});

/** IDs that a caller can write in a path, as the function receives them. */
const IDS: Readonly<Record<string, string>> = {
  empty: '',
  'of 2 KB': 'x'.repeat(2_048),
  'of 1,025 bytes in 342 characters': `${'\u20ac'.repeat(341)}\u00e9`,
  'of the longest accepted length': 'x'.repeat(1_024),
  'with control characters': 'a\r\n\u0007\u001b[2Jb',
  'with a null character (%00)': 'a\u0000b',
  'of one dot': '.',
  'of two dots': '..',
  'with a path that goes up': 'a/../../v1/stage',
  'with a lone surrogate': 'a\ud800',
  'with slashes': '//a//b/',
  'of a separator of keys': '#',
};

const badIdsOf = (name: RouteName): readonly string[] =>
  Object.entries(IDS).flatMap(([kind, id]) => (isTooBad(name, id) ? [kind] : []));
const isTooBad = (name: RouteName, id: string): boolean => {
  if (id === '' || !id.isWellFormed() || Buffer.byteLength(id) > 1_024) return true;
  const { route } = ROUTES[name];
  if (route.startsWith('PUT ')) return !/^[\w.~-]{1,128}$/.test(id) || /^\.+$/.test(id);
  if (route.includes('requestId')) return !/^[\x21-\x7e]{1,128}$/.test(id);
  return /deadLetterId|erasureId/.test(route) && id.length > 128;
};

describe('an ID that is too long or empty', () => {
  it.each(idRoutes)('is refused by %s with what is wrong, and any other ID is answered', async (name, idName) => {
    const stage = await createManagedStage(tables);
    const refused: string[] = [];
    for (const [kind, id] of Object.entries(IDS)) {
      const answers = [await stage.call(name, { id, body: {} })];
      if (!confined.some(([other]) => other === name)) {
        answers.push(await stage.call(name, { id: '-', query: { [idName]: id }, body: {} }));
      }
      for (const { status, body } of answers) {
        expect([200, 202, 400, 404]).toContain(status);
        if (!isTooBad(name, id)) continue;
        expect([kind, status, body]).toEqual([
          kind,
          400,
          {
            code: 'INVALID_REQUEST',
            message: expect.stringMatching(new RegExp(`^Invalid request: ${idName}: (must|is) `)),
            faults: expect.arrayContaining([expect.objectContaining({ field: idName })]),
          },
        ]);
        refused.push(kind);
      }
    }

    expect([...new Set(refused)]).toEqual(badIdsOf(name));
    expect(refused).toContain('of 2 KB');
  });

  it('starts no erasure, and with any other ID the erasure ends', async () => {
    const stage = await createManagedStage(tables);
    for (const id of Object.values(IDS)) await stage.call('eraseContact', { id });

    expect(stage.queuedErasures).toHaveLength(Object.keys(IDS).length - badIdsOf('eraseContact').length);
    expect((await stage.erase()).filter(({ kind }) => kind === 'done')).toHaveLength(8);
  });

  it('is refused in a body too', async () => {
    const stage = await createManagedStage(tables);
    const resolution = { requestId: 'r', outcome: 'accepted' };
    for (const messageId of [IDS['of 2 KB'], IDS['of 1,025 bytes in 342 characters'], IDS['with a lone surrogate']]) {
      expect(await stage.call('resolveSend', { body: { ...resolution, messageId } })).toMatchObject({ status: 400 });
    }
    for (const name of ['optIn', 'optOut'] as const) {
      const body = { platformContactId: IDS['of 2 KB'], source: 'form' };
      expect(await stage.call(name, { body })).toMatchObject({ status: 400 });
    }
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

/** The queries of the routes that take a cursor. */
const LISTS: readonly (readonly [RouteName, Record<string, string>])[] = [
  ['getConversation', {}],
  ['listConversation', { customerId: 'customer-1' }],
  ['listAudit', {}],
  ['listAudit', { platformContactId: '+5491150000001', until: '2026-11-20T12:00:00Z' }],
  ['listDeadLetters', { queue: 'send' }],
  ['listSends', { state: 'refused' }],
  ['listSends', { contact: '+5491150000001' }],
  ['listSends', { broadcast: 'spring' }],
  ['listUncertainSends', {}],
  ['listGaps', {}],
  ['countSends', { state: 'refused' }],
];

const LATER = '2030-01-01T00:00:00.000Z';
const LONG = 'x'.repeat(3_000);

/** Positions in lists: of other lists, beyond the end, and of no list. */
const POSITIONS: readonly Record<string, string>[] = [
  {},
  { foo: 'bar' },
  { pk: '', sk: '', contactSort: '' },
  { pk: 'MESSAGE#1', sk: 'MESSAGE', contactSort: 'SEND#2026' },
  { pk: LONG, sk: 'MESSAGE', contactSort: `MESSAGE#${LATER}` },
  { pk: 'DEADLETTER#1', sk: 'DEADLETTER', stateShard: 'dead-letter#inbound', stateAt: LATER },
  { pk: 'DEADLETTER#1', sk: 'DEADLETTER', stateShard: LONG, stateAt: LATER },
  { at: LATER, id: '1' },
  { at: 'z', id: LONG },
  ...['audit', 'refused', 'uncertain', 'spring'].flatMap((list) => [
    { [`${list}#0`]: `${LATER} 1` },
    { [`${list}#0`]: `~~ ${LONG}` },
    { [`${list}#0`]: ' ' },
  ]),
];

it('the lists are all routes with a cursor', () => {
  const withCursor = names.filter((name) => 'cursor' in Object(ROUTES[name].query).shape);
  expect([...new Set(LISTS.map(([name]) => name))].toSorted()).toEqual(withCursor.toSorted());
});

/** DynamoDB refuses more positions than the emulator does, so these tables refuse all. */
const strictTables = (): EmulatedTables => ({
  ...tables,
  tableClient: {
    async call(name, input, options) {
      if (Object(input).ExclusiveStartKey === undefined) return tables.tableClient.call(name, input, options);
      const refusal = { __type: 'com.amazon.coral.validate#ValidationException', message: 'The provided starting key' };
      throw new AwsServiceError(400, 'id', JSON.stringify(refusal));
    },
  },
});

const INVALID_CURSOR = { status: 400, body: { code: 'INVALID_CURSOR', message: expect.any(String) } };

it.each(LISTS)('%s, queried with %j, answers every cursor', async (name, given) => {
  const stages = [await createManagedStage(tables), await createManagedStage(strictTables())];
  for (const position of POSITIONS) {
    const cursor = Buffer.from(JSON.stringify(position)).toString('base64url');
    for (const stage of stages) {
      const answer = await stage.call(name, { id: '+5491150000001', query: { ...given, cursor } });
      if (answer.status !== 400) expect([200, 404]).toContain(answer.status);
      else expect(answer).toEqual(INVALID_CURSOR);
    }
  }
});

describe('a fault', () => {
  const fieldsIn = (schema: unknown): readonly string[] => {
    const parsed = z.safeParse(z.looseObject({ def: z.looseObject({ shape: z.looseObject({}) }) }), schema);
    return parsed.success ? Object.keys(parsed.data.def.shape) : [];
  };
  const problem = z.object({ faults: z.array(z.object({ field: z.string(), value: z.optional(z.string()) })) });
  /** Wrong in every form and in its length. */
  const WRONG = ['SECRET a#b\n', `https://SECRET@${'x'.repeat(2_000)}`];

  it('has the value of a time, a number, an ID, or a choice, and never of free text or a URL', async () => {
    const stage = await createManagedStage(tables);
    const quoted = new Set<string>();
    const cases = names.flatMap((name) =>
      (['query', 'body'] as const).flatMap((part) =>
        fieldsIn(ROUTES[name][part]).flatMap((field) => WRONG.map((value) => ({ name, part, field, value }))),
      ),
    );
    for (const { name, part, field, value } of cases) {
      const valid = { requestId: 'r', platformContactId: USER, contacts: [USER], messageText: 'Hi' };
      const given =
        part === 'query' ? { query: { [field]: value }, body: valid } : { body: { ...valid, [field]: value } };
      const answer = await stage.call(name, given).catch(() => undefined);
      const { data } = z.safeParse(problem, answer?.body);
      for (const fault of data?.faults ?? []) {
        if (fault.field.split('.')[0] === field && fault.value !== undefined) quoted.add(field);
      }
    }
    expect([...quoted].toSorted().join(' ')).toBe(
      'at before broadcast broadcastId chatChannelNumber code contact customerId dryRun format limit messageId ' +
        'notAfter onUncertain origin outcome platformContactId queue reason requestId sendAt since state until',
    );
  });
});
