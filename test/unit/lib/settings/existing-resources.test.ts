import { describe, expect, test } from 'vitest';
import { faults, read } from './valid-settings.ts';

const TABLE = 'arn:aws:dynamodb:eu-west-1:111122223333:table/messaging';
const STREAM = `${TABLE}/stream/2026-11-20T12:00:00.000`;
const KEY = 'arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const BUS = 'arn:aws:events:eu-west-1:111122223333:event-bus/company/messaging';

const faultsOf = (existing: unknown, others: object = {}) => faults(() => read({ existing, ...others }));

describe('The setting existing', () => {
  test('accepts a table with its stream and key, an event bus, and a key', () => {
    const existing = { tableArn: TABLE, tableStreamArn: STREAM, tableKeyArn: KEY, eventBusArn: BUS, keyArn: KEY };

    expect(read({ existing }).existing).toEqual(existing);
  });

  test('names nothing by default', () => {
    expect(read().existing).toEqual({});
  });

  test.each([
    { name: 'tableArn', value: 'messaging' },
    { name: 'tableArn', value: 'arn:aws:dynamodb:eu-west-1:111122223333:table/m/x' },
    { name: 'eventBusArn', value: 'arn:aws:events:eu-west-1:111122223333:rule/x' },
    { name: 'keyArn', value: 'arn:aws:kms:eu-west-1:111122223333:alias/parley' },
  ])('rejects the $name $value', ({ name, value }) => {
    expect(faultsOf({ [name]: value })).toContainEqual(
      expect.stringMatching(
        new RegExp(`^stages\\.prod\\.existing\\.${name}: got "${value}", expected the ARN of an? `),
      ),
    );
  });

  test.each([
    { tableArn: TABLE },
    { tableArn: TABLE, tableStreamArn: STREAM.replace('messaging', 'other') },
    { tableStreamArn: STREAM },
  ])('rejects a table without its own stream, and a stream without its table: %j', (existing) => {
    expect(faultsOf(existing)).toEqual([
      expect.stringMatching(/^stages\.prod\.existing\.tableStreamArn: .*, expected the ARN of the latest stream of/),
    ]);
  });

  test('rejects the key of a table that the stack creates', () => {
    expect(faultsOf({ tableKeyArn: KEY })).toEqual([
      expect.stringMatching(/^stages\.prod\.existing\.tableKeyArn: got .*or if the stack creates the table\.$/),
    ]);
  });

  test('rejects an existing key together with one that the stack creates', () => {
    expect(faultsOf({ keyArn: KEY }, { customerManagedKey: true })).toEqual([
      expect.stringMatching(/^stages\.prod\.existing\.keyArn: got .*requires that customerManagedKey is false/),
    ]);
  });

  test('rejects an unknown name', () => {
    expect(faultsOf({ tableARN: TABLE })).toEqual([
      expect.stringMatching(/^stages\.prod\.existing\.tableARN: unknown setting; did you mean tableArn\?/),
    ]);
  });
});
