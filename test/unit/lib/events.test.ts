import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { EventBridgeEvent } from 'aws-lambda';
import { build } from 'esbuild';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { eventDetails } from '../../../lambdas/domain/events/event-details.ts';
import * as publishedEvents from '../../../lambdas/domain/events/event-details.ts';
import type * as z from '../../../lambdas/domain/schema.ts';
import type { sendRequest } from '../../../lambdas/domain/send-request.ts';
import { eventSchemas as generatedSchemas } from '../../../lib/documents/event-schemas.ts';
import { eventDetailsCode, eventGuardsCode, sendRequestCode } from '../../../lib/documents/event-types.ts';
import * as events from '../../../lib/events.ts';
import {
  EVENT_NAMES,
  type EventDetails,
  type EventName,
  eventSchemas,
  isMessageReceived,
  isParleyEvent,
  type ParleyEvent,
  parseParleyEvent,
  type SendRequest,
} from '../../../lib/events.ts';

const ROOT = join(import.meta.dirname, '../../..');
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

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

/** The type of a schema's output as a consumer sees it. */
type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

type PublishedDetails = { [Name in keyof typeof eventDetails]: z.output<(typeof eventDetails)[Name]> };

describe('the generated files', () => {
  it('are up to date; "npm run schemas" writes them', () => {
    expect(textOf('lib/events/event-details.ts')).toBe(eventDetailsCode());
    expect(textOf('lib/events/event-guards.ts')).toBe(eventGuardsCode());
    expect(eventSchemas).toEqual(generatedSchemas());
    expect(textOf('lib/events/send-request.ts')).toBe(sendRequestCode());
  });

  it('declare a send request as Parley parses it', () => {
    expectTypeOf<SendRequest>().toEqualTypeOf<DeepReadonly<z.input<typeof sendRequest>>>();
  });

  it('include a JSON Schema file for each event', () => {
    const files = readdirSync(join(ROOT, 'docs/events'));
    expect(files.toSorted()).toEqual(EVENT_NAMES.map((name) => `${name}.schema.json`).toSorted());
    for (const name of EVENT_NAMES) {
      expect(JSON.parse(textOf(`docs/events/${name}.schema.json`))).toEqual(eventSchemas[name]);
    }
  });
});

describe('the types', () => {
  it('are those of the published details', () => {
    expectTypeOf<EventDetails>().toEqualTypeOf<DeepReadonly<PublishedDetails>>();
    expect(EVENT_NAMES).toEqual(publishedEvents.EVENT_NAMES);
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

describe('a guard', () => {
  it('exists for each event, and accepts that event alone', () => {
    const exported = new Map<string, unknown>(Object.entries(events));
    const accepted = EVENT_NAMES.map((name) => {
      const guard = exported.get(`is${name}`);
      if (typeof guard !== 'function') throw new Error(`lib/events.ts exports no is${name}.`);
      return EVENT_NAMES.filter((other) => guard(delivered({ 'detail-type': other })));
    });
    expect(accepted).toEqual(EVENT_NAMES.map((name) => [name]));
  });

  it('narrows an unknown value, and an event', () => {
    const value: unknown = delivered();
    if (!isMessageReceived(value)) throw new Error('The event was not recognized.');
    expectTypeOf(value).toEqualTypeOf<ParleyEvent<'MessageReceived'>>();
    expectTypeOf(value.detail.contact).toEqualTypeOf<events.EventContact | undefined>();
    expect(value.detail.messageId).toBe('m1');
  });

  it('accepts fields that later versions add', () => {
    expect(isMessageReceived(delivered({ 'replay-name': 'r', detail: { ...DETAIL, mood: 'good' } }))).toBe(true);
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
    expect([isMessageReceived(value), isParleyEvent(value)]).toEqual([false, false]);
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

describe('the JSON Schemas', () => {
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
  addFormats.default(ajv);
  const errorsOf = (name: EventName, value: unknown): readonly string[] => {
    const validate = ajv.getSchema(eventSchemas[name].$id) ?? ajv.compile(eventSchemas[name]);
    validate(value);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };

  it('accept an event as EventBridge delivers it, and new fields', () => {
    expect(errorsOf('MessageReceived', delivered())).toEqual([]);
    const detail = { ...DETAIL, mood: 'good', contact: { ...CONTACT, mood: 'good' }, content: { emoji: '👋' } };
    expect(errorsOf('MessageReceived', delivered({ detail, 'replay-name': 'r' }))).toEqual([]);
  });

  it('reject an event with another name, and a detail without a required field', () => {
    expect(errorsOf('MessageRead', delivered())).toEqual(['/detail-type must be equal to constant']);
    const { messageId: _messageId, ...detail } = DETAIL;
    expect(errorsOf('MessageReceived', delivered({ detail }))).toEqual([
      "/detail must have required property 'messageId'",
    ]);
  });

  it('are valid for every event', () => {
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

  it('contains the code of a guard, and nothing else', async () => {
    const guard = await bundle(`export { isMessageReceived } from './events.ts';`);
    expect(Buffer.byteLength(guard)).toBeLessThan(400);
    expect(guard).not.toContain('MessageEchoed');
  });

  it('contains the names of the events if it needs all of them, but no JSON Schema', async () => {
    const parse = await bundle(`export { parseParleyEvent } from './events.ts';`);
    expect(Buffer.byteLength(parse)).toBeLessThan(1_000);
    expect(parse).not.toContain('$schema');
  });
});
