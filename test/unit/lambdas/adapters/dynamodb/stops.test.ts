import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { createDynamodbCircuit } from '../../../../../lambdas/adapters/dynamodb/circuit.ts';
import { createDynamodbContacts } from '../../../../../lambdas/adapters/dynamodb/contacts.ts';
import { createDynamodbStops } from '../../../../../lambdas/adapters/dynamodb/stops.ts';
import { contactRef } from '../../../../../lambdas/domain/contact.ts';
import type { StopRepository } from '../../../../../lambdas/ports.ts';
import { ACCOUNT, NOW, USER } from '../../../../support/builders.ts';
import { contractTables } from '../../../../support/contract-tables.ts';
import { repositoriesOf } from './repositories.ts';

const tables = contractTables();
let tableName: string;
let stops: StopRepository;
const tableOf = () => repositoriesOf(tables.tableOf(tableName)).table;

beforeEach(async () => {
  tableName = await tables.createTable();
  stops = createDynamodbStops(tableOf(), ACCOUNT);
});

const at = (second: number) => `2026-11-20T12:00:0${second}.000Z`;
const stop = (second: number, note = 'Wrong template') => ({ stoppedAt: at(second), note });
const KEY = 'ACCOUNT#chat#+5491100000000 ACCOUNT';

describe("an operator's stop in the table", () => {
  it('does not exist while there is no item', async () => {
    expect(await stops.read()).toEqual({ state: 'running' });
    expect(await tables.items(tableName)).toEqual({});
  });

  it('names its account, for the events, and its note until the resumption', async () => {
    expect(await stops.stop(stop(1))).toEqual({ state: 'stopped', ...stop(1) });
    expect((await tables.items(tableName))[KEY]).toMatchObject({
      ...ACCOUNT,
      stoppedAt: at(1),
      stopNote: 'Wrong template',
    });

    expect(await stops.resume(at(2))).toEqual({ state: 'running', resumedAt: at(2) });
    const { pk, sk, ...item } = (await tables.items(tableName))[KEY] ?? {};
    expect(item).toEqual({ ...ACCOUNT, resumedAt: at(2) });
  });

  it('is read with the contact and the circuit breaker', async () => {
    const contacts = createDynamodbContacts(tableOf(), { readsHandovers: false });
    const read = () => contacts.readWithAccount(contactRef(ACCOUNT.platform, USER), ACCOUNT, NOW);
    await stops.stop(stop(1));
    expect(await read()).toEqual({ contact: {}, circuit: { state: 'closed' }, stop: stop(1) });
    await stops.resume(at(2));
    expect(await read()).toEqual({ contact: {}, circuit: { state: 'closed' } });
  });

  it('keeps the circuit breaker, which can open for the first time afterward', async () => {
    const circuit = createDynamodbCircuit(tableOf(), ACCOUNT);
    await stops.stop(stop(1));
    const trip = { reason: 'token' as const, why: '401', calledAt: at(0), openedAt: at(2), nextProbeAt: at(7) };
    expect(await circuit.open(trip)).toMatchObject({ state: 'open' });
    expect(await stops.read()).toEqual({ state: 'stopped', ...stop(1) });
    await stops.resume(at(3));
    expect(await circuit.read()).toMatchObject({ state: 'open', openedAt: at(2) });
  });

  const act = fc.oneof(
    fc.record({ second: fc.nat(4), note: fc.constantFrom('a', 'b') }),
    fc.record({ second: fc.nat(4) }),
  );

  it('is the latest, in whatever order and however often stops and resumptions are written', async () => {
    const write = async (acts: readonly { second: number; note?: string }[]) => {
      tableName = await tables.createTable();
      const { stop: write, resume } = createDynamodbStops(tableOf(), ACCOUNT);
      for (const { second, note } of acts) await (note === undefined ? resume(at(second)) : write(stop(second, note)));
      return tables.items(tableName);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 5 }), fc.array(fc.nat(4)), async (acts, repeated) => {
        const again = [...acts.toReversed(), ...repeated.flatMap((index) => acts[index] ?? [])];
        expect(await write(again)).toEqual(await write(acts));
      }),
      { numRuns: 30 },
    );
  });
});
