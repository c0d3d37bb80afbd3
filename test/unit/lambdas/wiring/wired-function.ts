import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Context } from 'aws-lambda';
import { vi } from 'vitest';
import type { HttpPostOptions } from '../../../../lambdas/adapters/chat-service/http-post.ts';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import { listenLocally } from '../../../../local/base/listen-locally.ts';
import { NOW } from '../../../support/builders.ts';

// A function as its entry wires it, in front of services that answer everything and record what they are asked.

const ENTRIES = {
  receive: () => import('../../../../lambdas/receive/entry.ts'),
  send: () => import('../../../../lambdas/send/entry.ts'),
  publish: () => import('../../../../lambdas/publish/entry.ts'),
  manage: () => import('../../../../lambdas/manage/entry.ts'),
};
const SYSTEM = '../../../../lambdas/runtime/system.ts';
const HTTP_POST = '../../../../lambdas/adapters/chat-service/http-post.ts';
const BUDGET = '../../../../lambdas/runtime/time-budget.ts';

type Input = Readonly<Record<string, unknown>>;
type Item = Readonly<Record<string, unknown>>;

/** What happens to a function. */
export interface Scenario {
  readonly events: readonly unknown[];
  /** The items of the table, by sort key, whoever's they are. */
  readonly items?: Readonly<Record<string, Item>>;
  /** What an update returns of its item. */
  readonly updated?: Item;
  /** The answers of AWS operations, after these lines. Returns undefined for that of a call that succeeds. */
  readonly answers?: Readonly<Record<string, (input: Input, lines: readonly string[]) => object | undefined>>;
  /** Variables that the scenario needs beside the usual ones. */
  readonly variables?: Variables;
  readonly remainingMs?: number;
}

/** `{aws}` stands for the address of the services, and `{alias}` for the same one under another name. */
export type Variables = Readonly<Record<string, string | undefined>>;

export interface WiredFunctions {
  /** Starts a function with these variables, and returns what it did in the scenario, one line for each call and result. */
  run(service: keyof typeof ENTRIES, variables: Variables, scenario: Scenario): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** How long a call to the chat service waits for others that run at the same time. */
const CALL_MS = 60;

export const startWiredFunctions = async (): Promise<WiredFunctions> => {
  let lines: string[] = [];
  let scenario: Scenario = { events: [] };
  let elapsedMs = 0;
  let callsInProgress = 0;

  const server = createServer(async (request, response) => {
    const body = await text(request);
    const answer = (status: number, json: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    const { host, 'x-amz-target': target } = request.headers;
    const input: Input = body === '' ? {} : JSON.parse(body);
    if (request.url?.includes('/api/')) {
      callsInProgress += 1;
      lines.push(`chat ${request.url} ${body}`, `${callsInProgress} calls at once`);
      await setTimeout(CALL_MS);
      callsInProgress -= 1;
      return void answer(200, { id: 'out' });
    }
    const operation = target === undefined ? `${request.method}Schedule` : (String(target).split('.').at(-1) ?? '');
    const where = input.QueueUrl === undefined ? host : String(input.QueueUrl).split('/').at(-1);
    lines.push(`${operation} ${where} ${target === undefined ? request.url : ''} ${body}`);
    const given = scenario.answers?.[operation]?.(input, lines) ?? succeed(operation, input, scenario);
    if (!('__type' in given)) return void answer(200, given);
    answer(400, given);
  });
  const aws = await listenLocally(server);
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((chunk) => lines.push(`log ${String(chunk)}`) > 0),
  );
  const context = (remainingMs: number) =>
    // The handlers and their middlewares read nothing that is missing here.
    ({ getRemainingTimeInMillis: () => remainingMs }) as Context;

  vi.doMock(SYSTEM, () => ({
    systemClock: { now: () => addMs(NOW, elapsedMs) },
    systemRandomness: { newId: () => 'an-id', random: () => 0.5 },
    sleep: async (sleepMs: number) => {
      lines.push(`sleep ${sleepMs}`);
      elapsedMs += sleepMs;
    },
  }));
  vi.doMock(HTTP_POST, async (load) => {
    const real = await load<typeof import('../../../../lambdas/adapters/chat-service/http-post.ts')>();
    return {
      createHttpPost(options: HttpPostOptions) {
        lines.push(`connections ${JSON.stringify(options)}`);
        return real.createHttpPost(options);
      },
    };
  });

  vi.doMock(BUDGET, async (load) => {
    const real = await load<typeof import('../../../../lambdas/runtime/time-budget.ts')>();
    return {
      ...real,
      withinBudget(...[budgetMs, call]: Parameters<typeof real.withinBudget>) {
        lines.push(`budget ${budgetMs}`);
        return real.withinBudget(budgetMs, call);
      },
    };
  });

  return {
    async run(service, variables, given) {
      lines = [];
      scenario = given;
      elapsedMs = 0;
      vi.unstubAllEnvs();
      const all = { ...AWS_VARIABLES, ...variables, ...given.variables };
      for (const [name, value] of Object.entries(all)) {
        const alias = `http://localhost:${aws.port}`;
        vi.stubEnv(name, value?.replaceAll('{aws}', aws.url).replaceAll('{alias}', alias));
      }
      vi.resetModules();
      const { handler } = await ENTRIES[service]();
      for (const event of given.events) {
        // The events of the scenarios have what each handler reads.
        const result = await Reflect.apply(handler, undefined, [event, context(given.remainingMs ?? 600_000)]);
        lines.push(`returned ${JSON.stringify(result)}`);
      }
      return lines;
    },
    async close() {
      vi.doUnmock(SYSTEM);
      vi.doUnmock(HTTP_POST);
      vi.doUnmock(BUDGET);
      // Test files share their modules.
      vi.resetModules();
      for (const spy of spies) spy.mockRestore();
      vi.unstubAllEnvs();
      await aws.close();
    },
  };
};

const AWS_VARIABLES: Variables = {
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_REGION: 'us-east-1',
  AWS_ENDPOINT_URL: '{aws}',
  POWERTOOLS_SERVICE_NAME: 'wiring',
  POWERTOOLS_METRICS_NAMESPACE: 'Parley-test',
};

/** The answer of an operation that succeeds. */
const succeed = (operation: string, input: Input, { items = {}, updated = {} }: Scenario): object => {
  const itemAt = ({ pk, sk }: { readonly pk: { readonly S: string }; readonly sk: { readonly S: string } }) => {
    const item = items[sk.S];
    return item && marshall({ ...item, pk: pk.S, sk: sk.S }, { removeUndefinedValues: true });
  };
  switch (operation) {
    case 'GetItem':
      return { Item: itemAt(Object(input.Key)) };
    case 'BatchGetItem': {
      const [[table, { Keys: keys }] = ['', { Keys: [] }]]: [string, { Keys: never[] }][] = Object.entries(
        Object(input.RequestItems),
      );
      return { Responses: { [table]: keys.map(itemAt).filter((item) => item !== undefined) } };
    }
    case 'UpdateItem':
      return { Attributes: marshall(updated, { removeUndefinedValues: true }) };
    case 'Query':
      return { Items: [], Count: 0 };
    case 'GetSecretValue':
      return { SecretString: 'a-secret-of-the-test' };
    case 'SendMessage':
      return {
        MessageId: 'message',
        MD5OfMessageBody: createHash('md5').update(String(input.MessageBody)).digest('hex'),
      };
    case 'PutEvents':
      return { FailedEntryCount: 0, Entries: [{ EventId: 'event' }] };
    case 'POSTSchedule':
      return { ScheduleArn: 'arn:aws:scheduler:::schedule/one' };
    default:
      return {};
  }
};

/** An AWS service's refusal, which no retry changes. */
export const refuse = () => ({ __type: 'AccessDeniedException', message: 'refused' });
