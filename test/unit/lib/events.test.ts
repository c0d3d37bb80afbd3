import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { EventBridgeEvent } from 'aws-lambda';
import { build } from 'esbuild';
import { describe, expect, expectTypeOf, it } from 'vitest';
import schema from '../../../docs/events.schema.json' with { type: 'json' };
import { eventDetails } from '../../../lambdas/domain/events/event-details.ts';
import { eventsSchema } from '../../../lib/documents/event-schemas.ts';
import { publishedTypes } from '../../../lib/documents/published-types.ts';
import {
  EVENT_NAMES,
  type EventContact,
  type EventDetails,
  type EventName,
  isParleyEvent,
  type ParleyEvent,
  parseParleyEvent,
} from '../../../lib/events.ts';
import { inTemporaryFolder } from './synthesized-stack.ts';

const ROOT = join(import.meta.dirname, '../../..');

const AT = '2026-01-02T03:04:05.678Z';
const CONTACT = { platform: 'chat', channel: '*', key: '5491144440000' };
const DETAIL = { id: 'MESSAGE#m1#MessageReceived', messageId: 'm1', contact: CONTACT, at: AT };

/** An event as EventBridge delivers it. */
const delivered = (fields: object = {}) => ({
  version: '0',
  id: '17793124-05d4-b198-2fde-7ededc63b103',
  'detail-type': 'MessageReceived',
  source: 'parley',
  account: '111122223333',
  time: '2026-01-02T03:04:05Z',
  region: 'eu-west-1',
  resources: [],
  detail: DETAIL,
  ...fields,
});

describe('the types', () => {
  it('of the package are those of the repository, spelled out', () => {
    inTemporaryFolder((folder) => {
      writeFileSync(join(folder, 'spelled-out.d.ts'), publishedTypes());
      writeFileSync(join(folder, 'compare.mts'), COMPARISON);
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(COMPARISON_CONFIG));
      const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
      const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
      expect(stdout).toBe('');
    });
  });

  it('and the names are those of the published details', () => {
    expect(EVENT_NAMES).toEqual(Object.keys(eventDetails));
  });

  it('form a union that `detail-type` discriminates', () => {
    const describeEvent = (event: ParleyEvent) => {
      switch (event['detail-type']) {
        case 'MessageReceived':
          expectTypeOf(event).toEqualTypeOf<ParleyEvent<'MessageReceived'>>();
          return event.detail.content?.text;
        case 'SendRefused':
          return event.detail.code;
        default:
          // @ts-expect-error No other event has it.
          event.detail.platformContactId;
          return event.detail.at;
      }
    };
    expectTypeOf<ParleyEvent['detail-type']>().toEqualTypeOf<EventName>();
    const event = delivered();
    expect(isParleyEvent(event) && describeEvent(event)).toBeUndefined();
  });

  it("can be passed to functions that expect an event of AWS Lambda's types", () => {
    expectTypeOf<ParleyEvent<'MessageRead'>>().toExtend<EventBridgeEvent<'MessageRead', EventDetails['MessageRead']>>();
  });
});

describe('isParleyEvent', () => {
  it('accepts every event, and with a name that event alone', () => {
    const accepted = EVENT_NAMES.map((name) => {
      const event = delivered({ 'detail-type': name });
      expect(isParleyEvent(event)).toBe(true);
      return EVENT_NAMES.filter((other) => isParleyEvent(event, other));
    });
    expect(accepted).toEqual(EVENT_NAMES.map((name) => [name]));
  });

  it('narrows an unknown value, and an event', () => {
    const value: unknown = delivered();
    if (!isParleyEvent(value, 'MessageReceived')) throw new Error('The event was not recognized.');
    expectTypeOf(value).toEqualTypeOf<ParleyEvent<'MessageReceived'>>();
    expectTypeOf(value.detail.contact).toEqualTypeOf<EventContact | undefined>();
    expect(value.detail.messageId).toBe('m1');
  });

  it('accepts fields that later versions add', () => {
    expect(isParleyEvent(delivered({ 'replay-name': 'r', detail: { ...DETAIL, mood: 'good' } }))).toBe(true);
  });

  it.each([
    ['another source', delivered({ source: 'aws.s3' })],
    ['no detail', delivered({ detail: undefined })],
    ['a detail without an ID', delivered({ detail: { at: AT } })],
    ['a detail without a time', delivered({ detail: { id: 'a' } })],
    ['a detail of null', delivered({ detail: null })],
    ['a value that is no object', 'MessageReceived'],
    ['null', null],
    ['an event of a later version', delivered({ 'detail-type': 'MessagePinned' })],
    ['a name that every object has', delivered({ 'detail-type': 'constructor' })],
  ])('rejects %s', (_what, value) => {
    expect([isParleyEvent(value, 'MessageReceived'), isParleyEvent(value)]).toEqual([false, false]);
  });
});

describe('parseParleyEvent', () => {
  it("reads an SQS message's body or an https request's body", () => {
    expect(parseParleyEvent(JSON.stringify(delivered()))).toEqual(delivered());
  });

  it('returns undefined for an event of a later version', () => {
    expect(parseParleyEvent(JSON.stringify(delivered({ 'detail-type': 'MessagePinned' })))).toBeUndefined();
  });

  it('throws if the text is not JSON', () => {
    expect(() => parseParleyEvent('MessageReceived')).toThrow(SyntaxError);
  });
});

describe('the JSON Schema', () => {
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true, strictTypes: false });
  addFormats.default(ajv);
  ajv.addSchema(schema);
  const errorsOf = (name: EventName, value: unknown): readonly string[] => {
    const validate = ajv.getSchema(`${schema.$id}#/$defs/${name}`);
    validate?.(value);
    return (validate?.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };

  it('is up to date; "npm run schemas" writes it', () => {
    expect(schema).toEqual(eventsSchema());
  });

  it('accepts an event through that event alone', () => {
    expect(ajv.validate(schema.$id, delivered())).toBe(true);
    expect(ajv.validate(schema.$id, delivered({ 'detail-type': 'MessagePinned' }))).toBe(false);
  });

  it('accepts an event as EventBridge delivers it, and new fields', () => {
    expect(errorsOf('MessageReceived', delivered())).toEqual([]);
    const detail = { ...DETAIL, mood: 'good', contact: { ...CONTACT, mood: 'good' }, content: { emoji: '👋' } };
    expect(errorsOf('MessageReceived', delivered({ detail, 'replay-name': 'r' }))).toEqual([]);
  });

  it('rejects an event with another name, and a detail without a required field', () => {
    expect(errorsOf('MessageRead', delivered())).toEqual(['/detail-type must be equal to constant']);
    const { messageId: _messageId, ...detail } = DETAIL;
    expect(errorsOf('MessageReceived', delivered({ detail }))).toEqual([
      "/detail must have required property 'messageId'",
    ]);
  });

  it('is valid for every event', () => {
    for (const name of EVENT_NAMES) expect(errorsOf(name, {})).not.toEqual([]);
  });
});

describe("a consumer's bundle", () => {
  const bundle = async (code: string) => {
    const { outputFiles } = await build({
      stdin: { contents: code, resolveDir: join(ROOT, 'lib') },
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      platform: 'neutral',
    });
    return outputFiles[0]?.text ?? '';
  };

  it('contains the code of the guard, the names of the events, and nothing else', async () => {
    const parse = await bundle(`export { isParleyEvent, parseParleyEvent } from './events.ts';`);
    expect(Buffer.byteLength(parse)).toBeLessThan(1_000);
    expect(parse).not.toMatch(/import|require/);
  });
});

const ROOT_FILE = JSON.stringify(join(ROOT, 'lib/events/published-types.ts'));

/** Does not compile unless the types are identical, including which fields are optional or read-only. */
const COMPARISON = `
import type { EventAccount, EventContact, EventDetails, SendRequest } from ${ROOT_FILE};
import type * as spelledOut from './spelled-out.d.ts';
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
type Name = keyof EventDetails | keyof spelledOut.EventDetails;
export const details: { [N in Name]: Same<EventDetails[N], spelledOut.EventDetails[N]> } =
  {} as { [N in Name]: true };
export const others: [
  Same<SendRequest, spelledOut.SendRequest>,
  Same<EventContact, spelledOut.EventContact>,
  Same<EventAccount, spelledOut.EventAccount>,
] = [true, true, true];
`;

const COMPARISON_CONFIG = {
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: { typeRoots: [join(ROOT, 'node_modules/@types')], skipLibCheck: false, types: ['node'] },
  include: [],
  files: ['compare.mts', 'spelled-out.d.ts'],
};
