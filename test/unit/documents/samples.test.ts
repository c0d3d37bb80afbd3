import { execFile } from 'node:child_process';
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import cdkJson from '../../../cdk.json' with { type: 'json' };
import managementApi from '../../../docs/management-api.json' with { type: 'json' };
import { HISTORY_FORMATS } from '../../../lambdas/domain/history-formats/history-formats.ts';
import { parseSendRequest } from '../../../lambdas/domain/send-request.ts';
import { WEBHOOK_FORMATS } from '../../../lambdas/domain/webhook-formats/formats.ts';
import { eventsSchema } from '../../../lib/documents/event-schemas.ts';
import { ROUTE_SAMPLES } from '../../../lib/documents/management-api-samples.ts';
import { readStageSettings } from '../../../lib/settings/read-stage-settings.ts';
import { describedSettings } from '../../../lib/settings/settings-guide.ts';
import { type CodeBlock, PAGES, ROOT, readPage } from './markdown.ts';

/** Samples that no schema describes, and what checks or limits them. */
const WITHOUT_SCHEMA: Readonly<Record<string, string>> = {
  'docs/provider.md': "the chat service's requests and events; test/unit/documents/provider-page.test.ts checks them",
  'docs/receiving.md': 'a dead letter; test/unit/lambdas/receive checks what `receive` quarantines',
  'docs/sandbox.md': 'an event, shortened; test/unit/sandbox/event-formats.test.ts checks each format',
  ...Object.fromEntries(
    ['README', ...WEBHOOK_FORMATS.map(({ name }) => name)].map((name) => [
      `docs/webhook-formats/${name}.md`,
      "the chat service's events; test/unit/documents/webhook-format-pages.test.ts checks them",
    ]),
  ),
  ...Object.fromEntries(
    HISTORY_FORMATS.map(({ name }) => [
      `docs/history-formats/${name}.md`,
      "the chat service's history; test/unit/documents/history-format-pages.test.ts checks it",
    ]),
  ),
  'docs/sandbox-api.md': "the control API's answers, shortened; the sandbox's own tests check them",
};

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);
const events = eventsSchema();
ajv.addSchema(events);

const SETTINGS = new Set(describedSettings().map(({ path }) => path));
const object = z.record(z.string(), z.unknown());

/** The JSON of a block. Fragments of an object lack its braces. */
const jsonOf = (code: string): unknown => {
  try {
    return JSON.parse(code);
  } catch {
    return JSON.parse(`{${code}}`);
  }
};

/** Returns what is wrong with settings that replace those of the stage `dev`. */
const faultOfSettings = (settings: Readonly<Record<string, unknown>>): string | undefined => {
  try {
    readStageSettings({ stages: cdkJson.context.stages, stage: 'dev', settings });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

/** Returns the settings in a sample: of one or more stages, or a part of them. Undefined if it has none. */
const settingsIn = (sample: Readonly<Record<string, unknown>>): readonly Record<string, unknown>[] | undefined => {
  const { stages = object.safeParse(sample.context).data?.stages } = sample;
  if (stages !== undefined) return Object.values(object.parse(stages)).map((stage) => object.parse(stage));
  if (typeof sample.kind === 'string') return [{ webhook: { auth: sample } }];
  const names = Object.keys(sample);
  if (names.every((name) => SETTINGS.has(name))) return [sample];
  const stage = names.every((name) => Object.hasOwn(cdkJson.context.stages, name));
  return stage ? names.map((name) => object.parse(sample[name])) : undefined;
};

const statements = z.array(
  z.strictObject({
    Sid: z.string().optional(),
    Effect: z.enum(['Allow', 'Deny']),
    Principal: z.unknown().optional(),
    Action: z.union([z.string(), z.array(z.string())]),
    Resource: z.union([z.string(), z.array(z.string())]).optional(),
    Condition: object.optional(),
  }),
);

/** A schema of a request or response of the management API, with the names of its fields. */
const API_SCHEMAS = Object.values(managementApi.paths)
  .flatMap((operations) => Object.values(operations))
  .flatMap((operation) => {
    const found: unknown[] = [];
    JSON.stringify(operation, (name, value) => {
      if (name === 'schema') found.push(value);
      return value;
    });
    return found;
  })
  .concat(Object.values(managementApi.components.schemas))
  // With the components, because the schemas reference them.
  .map((schema) => ({ ...object.parse(schema), components: managementApi.components }));

/** Checked against the schemas of their routes by test/unit/lib/documents/management-api-document.test.ts. */
const ROUTE_BODIES = new Set(
  Object.values(ROUTE_SAMPLES).flatMap(({ request, response }) =>
    [request, response].map((body) => JSON.stringify(body)),
  ),
);

const isOfManagementApi = (sample: Readonly<Record<string, unknown>>): boolean =>
  API_SCHEMAS.some((schema) => {
    const properties = Object.keys(object.safeParse('properties' in schema ? schema.properties : {}).data ?? {});
    return Object.keys(sample).every((name) => properties.includes(name)) && ajv.compile(schema)(sample);
  });

/** What a sample of an event may leave out. */
const ENVELOPE = {
  version: '0',
  id: '12345678-1234-1234-1234-123456789012',
  source: 'parley',
  account: '111122223333',
  time: '2026-11-20T11:00:05Z',
  region: 'eu-west-1',
  resources: [],
};

/** Returns what is wrong with a JSON sample, or undefined. */
const faultOf = ({ place, code }: CodeBlock): string | undefined => {
  const json = jsonOf(code);
  const [file = ''] = place.split(':');
  if (Array.isArray(json) && !Object.hasOwn(WITHOUT_SCHEMA, file)) return statements.safeParse(json).error?.message;
  if (ROUTE_BODIES.has(JSON.stringify(json))) return undefined;
  if (Array.isArray(json)) return undefined;
  const sample = object.parse(json);
  if ('Effect' in sample) return statements.safeParse([sample]).error?.message;
  if ('Statement' in sample) return statements.safeParse(sample.Statement).error?.message;
  if (typeof sample['detail-type'] === 'string') {
    const validate = ajv.getSchema(`${events.$id}#/$defs/${sample['detail-type']}`);
    if (validate === undefined) return `there is no event ${sample['detail-type']}`;
    return validate({ ...ENVELOPE, ...sample }) ? undefined : ajv.errorsText(validate.errors);
  }
  if ('requestId' in sample && 'platformContactId' in sample) {
    const parsed = parseSendRequest(JSON.stringify(sample));
    return parsed.kind === 'malformed' ? parsed.explanation : undefined;
  }
  const settings = settingsIn(sample);
  if (settings) return settings.map(faultOfSettings).find((fault) => fault !== undefined);
  if (isOfManagementApi(sample) || Object.hasOwn(WITHOUT_SCHEMA, file)) return undefined;
  return 'no schema is known for it; add one to test/unit/documents/samples.test.ts';
};

const faultsIn = (blocks: readonly CodeBlock[]): readonly string[] =>
  blocks
    .filter(({ language }) => language === 'json')
    .flatMap((block) => {
      try {
        const fault = faultOf(block);
        return fault === undefined ? [] : [`${block.place}: ${fault}`];
      } catch (error) {
        return [`${block.place}: ${error instanceof Error ? error.message : String(error)}`];
      }
    });

/** Returns the errors of TypeScript in samples, which are compiled as files of the repository. */
const typeErrors = async (blocks: readonly CodeBlock[]): Promise<readonly string[]> => {
  await mkdir(join(ROOT, '.parley'), { recursive: true });
  await using folder = await mkdtempDisposable(join(ROOT, '.parley/samples-'));
  const names = blocks.map((_, index) => `sample-${index}.ts`);
  await Promise.all(blocks.map(({ code }, index) => writeFile(join(folder.path, names[index] ?? ''), code)));
  const config = { extends: '../../tsconfig.json', include: ['*.ts'], compilerOptions: { noEmit: true } };
  await writeFile(join(folder.path, 'tsconfig.json'), JSON.stringify(config));
  const { stdout } = await promisify(execFile)('tsc', ['-p', folder.path, '--pretty', 'false'], {
    env: { ...process.env, PATH: [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter) },
  }).catch((error: { stdout: string }) => error);
  return stdout
    .split('\n')
    .filter((line) => line.includes('error TS'))
    .map((line) => line.replace(/^.*sample-(\d+)\.ts/, (_, index) => blocks[index]?.place ?? ''));
};

const allBlocks = PAGES.flatMap(({ blocks }) => blocks);

describe('the samples in the documents', () => {
  it('are what the code accepts: settings, requests, events, policies, and calls of the management API', () => {
    expect(faultsIn(allBlocks)).toEqual([]);
  });

  it('compile', async () => {
    const typescript = allBlocks.filter(({ language }) => language === 'ts');
    expect(typescript.length).toBeGreaterThan(0);
    expect(await typeErrors(typescript)).toEqual([]);
  });

  it('are in no language that nothing checks', () => {
    const languages = new Set(allBlocks.map(({ language }) => language));
    // commands.test.ts checks `sh`. Output, diagrams, and lines of HTTP are only shown.
    expect([...languages].filter((one) => !['', 'json', 'ts', 'sh', 'text', 'mermaid', 'http'].includes(one))).toEqual(
      [],
    );
  });
});

describe('the check of samples', () => {
  it.each([
    ['an unknown setting', '{"stages":{"dev":{"retentionDay":{}}}}', 'retentionDay'],
    ['an invalid setting', '{"retentionDays":{"messages":3}}', 'retentionDays.messages'],
    ['a request with an unknown field', '{"requestId":"1","platformContactId":"+1","text":"Hi"}', 'text'],
    ['an event without its detail', '{"detail-type":"MessageReceived","source":"parley"}', 'required property'],
    ['an event that does not exist', '{"detail-type":"MessageSeen"}', 'there is no event'],
    ['a policy without an effect', '[{"Action":"sqs:SendMessage"}]', 'Effect'],
    ['what is not JSON', '{"a":}', 'JSON'],
    ['what nothing describes', '{"hello":"world"}', 'no schema is known'],
  ])('finds %s', (_, code, fault) => {
    const { blocks } = readPage('README.md', `\`\`\`json\n${code}\n\`\`\`\n`);
    expect(faultsIn(blocks)).toEqual([expect.stringContaining(fault)]);
  });

  it('finds a type error', async () => {
    const block = { place: 'README.md:1', language: 'ts', code: 'export const days: number = "1";\n' };
    expect(await typeErrors([block])).toEqual([expect.stringContaining('not assignable')]);
  });
});
