import { mkdtempDisposableSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import cdkJson from '../../../../cdk.json' with { type: 'json' };
import { CliError } from '../../../../cli/base/errors.ts';
import { appFiles, TARBALLS } from '../../../../cli/init/app-files.ts';
import { AUTH_KINDS, type SettingsOptions } from '../../../../cli/init/init-options.ts';
import { type NewStages, newStages, placeholdersIn } from '../../../../cli/init/stages.ts';
import { NUMBER_FORMATS } from '../../../../lambdas/domain/send-call.ts';
import { hasWebhookSecret } from '../../../../lambdas/domain/webhook-auth.ts';
import { PLACEHOLDERS } from '../../../../lib/settings/placeholders.ts';
import { readStageSettings } from '../../../../lib/settings/read-stage-settings.ts';
import packageJson from '../../../../package.json' with { type: 'json' };
import { parseCommandLine } from '../../../support/parse-command-line.ts';
import { runCommandLine } from '../../../support/run-parley.ts';

const ROOT = join(import.meta.dirname, '../../../..');

const init = async (...args: readonly string[]) => {
  return runCommandLine(['init', ...args]);
};

const emptyFolder = (): string => {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'parley-init-'));
  onTestFinished(() => folder.remove());
  return folder.path;
};

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted();

/** The options' defaults. */
const DEFAULTS: SettingsOptions = {
  number: PLACEHOLDERS.chatChannelNumber,
  platform: PLACEHOLDERS.chatPlatform,
  baseUrl: PLACEHOLDERS.baseUrl,
  auth: 'pubsub-jwt',
};

const filesOf = (options: SettingsOptions) =>
  appFiles({ name: 'my-app', stages: newStages(options), hasTarballs: false });

/** Reads a stage from the written cdk.json, as the app does at synth. Returns the faults. */
const synth = (files: ReadonlyMap<string, string>, stage: string): string => {
  const { context } = JSON.parse(files.get('cdk.json') ?? '');
  try {
    readStageSettings({ stages: context.stages, stage });
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

/** Mostly the usual values, so that many combinations are valid. */
const text = (...usual: readonly string[]) =>
  fc.oneof({ arbitrary: fc.constantFrom(...usual), weight: 8 }, { arbitrary: fc.string(), weight: 1 });

const usualOptions = {
  number: text(DEFAULTS.number, '+5491144440000', '+5491144440001'),
  platform: text(DEFAULTS.platform, 'chat', 'chat.v2'),
  baseUrl: fc.oneof(text(DEFAULTS.baseUrl, 'https://chat.bank.internal', 'http://localhost:1'), fc.webUrl()),
};
const authOptions = {
  audience: text('parley', 'https://parley.example'),
  serviceAccountEmail: fc.oneof(text('chat@bank.iam.gserviceaccount.com'), fc.emailAddress()),
  header: text('X-Token'),
  topicArn: text('arn:aws:sns:eu-west-1:444455556666:chat-events'),
  envelope: fc.constantFrom('none' as const, 'pubsub' as const),
};
const providerOptions = {
  contactCheckPath: text('customer/checkChatContact', 'customer/checkOtherContact'),
  numberFormat: fc.constantFrom(...NUMBER_FORMATS),
};
const anyOptions: fc.Arbitrary<SettingsOptions> = fc.oneof(
  fc.record(
    { ...usualOptions, auth: fc.constantFrom(...AUTH_KINDS), ...providerOptions },
    { requiredKeys: ['number', 'platform', 'baseUrl', 'auth'] },
  ),
  fc.record(
    { ...usualOptions, auth: fc.constantFrom(...AUTH_KINDS), ...authOptions, ...providerOptions },
    { requiredKeys: ['number', 'platform', 'baseUrl', 'auth'] },
  ),
);

describe('the settings of a new app', () => {
  it('are accepted at synth, except for the placeholders that init lists, whatever its options are', () => {
    const seen = { refused: 0, written: 0, production: 0 };
    fc.assert(
      fc.property(anyOptions, (options) => {
        let files: ReadonlyMap<string, string>;
        try {
          files = filesOf(options);
        } catch (error) {
          expect(error).toBeInstanceOf(CliError);
          seen.refused += 1;
          return;
        }
        const placeholders = placeholdersIn(newStages(options)).join('\n');
        expect([synth(files, 'dev'), synth(files, 'prod')]).toEqual(['', placeholders]);
        seen.written += 1;
        if (placeholders === '') seen.production += 1;
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
  });

  it.each<[args: readonly string[], sentence: string]>([
    [['--number', '12'], '--number: got "12", expected the business number'],
    [['--platform', 'a b'], '--platform: got "a b", expected'],
    [['--base-url', 'http://chat.bank.internal'], '--base-url: got "http://chat.bank.internal", expected the base URL'],
    [['--service-account-email', 'me'], '--service-account-email: got "me", expected the email address'],
    [['--auth', 'sns'], '--topic-arn: got "", expected the ARN of the SNS topic'],
    [['--auth', 'shared-token', '--header', 'x y'], '--header: got "x y", expected the name of the header'],
    [['--contact-check-path', '/api/v1.0/x'], '--contact-check-path: got "/api/v1.0/x", expected the contact check'],
    [['--number-format', 'plain'], "Option '--number-format <format>' argument 'plain' is invalid. Allowed choices"],
    [['--auth', 'insecure-none'], "Option '--auth <kind>' argument 'insecure-none' is invalid. Allowed choices are"],
    [['--topic-arn', 'arn:aws:sns:eu-west-1:444455556666:a'], '--topic-arn is only for --auth sns.'],
    [['--tarballs', '/nowhere'], `/nowhere/${TARBALLS[0]} does not exist. Create it with npm run pack`],
  ])('are not written if an option is invalid: %j', async (args, sentence) => {
    const folder = emptyFolder();

    const { code, err } = await init(folder, ...args);

    expect(err).toContain(`parley: ${sentence}`);
    expect([code, filesIn(folder)]).toEqual([2, []]);
  });
});

describe('the placeholders of a new app', () => {
  /** What init writes for prod although nobody chose it, and which is right as it is. */
  const CHOSEN = ['production', 'webhook.auth.kind', 'webhook.auth.header'];
  const TOPIC = 'arn:aws:sns:eu-west-1:444455556666:chat-events';

  const pathsIn = (value: unknown, path: readonly string[] = []): readonly string[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, inner]) => pathsIn(inner, [...path, name]))
      : [path.join('.')];
  const refusedPaths = (stages: NewStages): readonly string[] =>
    placeholdersIn(stages).map((fault) => /^stages\.prod\.([\w.]+): /.exec(fault)?.[1] ?? fault);

  it.each(AUTH_KINDS)('are all that synth refuses, and all that nobody chose: %s', (auth) => {
    const stages = newStages({ ...DEFAULTS, auth, ...(auth === 'sns' && { topicArn: TOPIC }) });
    const chosen = [...CHOSEN, ...(auth === 'sns' ? ['webhook.auth.topicArn'] : [])];

    const written = pathsIn(stages.prod).filter((path) => !chosen.includes(path));

    expect(refusedPaths(stages).toSorted()).toEqual(written.toSorted());
  });

  it("are those of the repository's own stage prod", () => {
    expect(cdkJson.context.stages.prod).toEqual(newStages(DEFAULTS).prod);
  });
});

describe("the settings for a provider's habits", () => {
  const chatServiceOf = (options: SettingsOptions) =>
    JSON.parse(filesOf(options).get('cdk.json') ?? '').context.stages.prod.chatService;

  it('are written for both stages if the options name them, and left to their defaults otherwise', async () => {
    const folder = emptyFolder();

    await init(folder, '--contact-check-path', 'customer/checkOtherContact', '--number-format', 'digits');

    const { stages } = JSON.parse(readFileSync(join(folder, 'cdk.json'), 'utf8')).context;
    const chatService = {
      baseUrl: DEFAULTS.baseUrl,
      contactCheckPath: 'customer/checkOtherContact',
      numberFormat: 'digits',
    };
    expect([stages.dev.chatService, stages.prod.chatService]).toEqual([chatService, chatService]);
    expect(chatServiceOf(DEFAULTS)).toEqual({ baseUrl: DEFAULTS.baseUrl });
  });

  it('include the header of the token, by default the one that such services send', () => {
    const headerOf = (options: SettingsOptions) =>
      JSON.parse(filesOf(options).get('cdk.json') ?? '').context.stages.prod.webhook.auth.header;

    expect(headerOf({ ...DEFAULTS, auth: 'shared-token' })).toBe('auth-bm-token');
    expect(headerOf({ ...DEFAULTS, auth: 'shared-token', header: 'x-mine' })).toBe('x-mine');
  });

  it('are explained in the README', () => {
    const readme = filesOf(DEFAULTS).get('README.md');

    for (const setting of ['contactCheckPath', 'numberFormat']) expect(readme).toContain(`\`chatService.${setting}\``);
    expect(readme).toContain('docs/provider.md');
  });
});

describe('the README of a new app', () => {
  const TOPIC = 'arn:aws:sns:eu-west-1:444455556666:chat-events';
  const stepsOf = (options: Partial<SettingsOptions> & Pick<SettingsOptions, 'auth'>): string =>
    /^5\. .*?(?=^6\. )/ms.exec(
      filesOf({ ...DEFAULTS, ...(options.auth === 'sns' && { topicArn: TOPIC }), ...options }).get('README.md') ?? '',
    )?.[0] ?? '';

  /** What the steps of each kind must name, and what belongs to another kind. */
  const NAMED: Readonly<
    Record<SettingsOptions['auth'], { readonly named: readonly string[]; readonly other: RegExp }>
  > = {
    'pubsub-jwt': { named: ['push subscription', '`audience`', '`serviceAccountEmail`'], other: /secret|`token|SNS/ },
    'standard-webhooks': { named: ['whsec_', 'npx --no -- parley webhook-secret add'], other: /Pub\/Sub|SNS|token/ },
    'shared-token': {
      named: ['`auth-bm-token`', 'npx --no -- parley webhook-secret add'],
      other: /Pub\/Sub|SNS|whsec_/,
    },
    sns: { named: [TOPIC, 'https', 'raw message delivery'], other: /secret|token|Pub\/Sub/ },
  };

  it.each(AUTH_KINDS)('has the steps that connect a webhook with %s, and of no other kind', (auth) => {
    const steps = stepsOf({ auth });

    for (const word of ['WebhookUrl', ...NAMED[auth].named]) expect(steps).toContain(word);
    expect(steps).not.toMatch(NAMED[auth].other);
  });

  it.each(AUTH_KINDS)('says where the secret is if the stack creates one: %s', (auth) => {
    const { settings } = readStageSettings({
      stages: newStages({ ...DEFAULTS, auth, topicArn: auth === 'sns' ? TOPIC : undefined }),
      stage: 'dev',
    });

    expect(stepsOf({ auth }).includes('WebhookSecretId')).toBe(hasWebhookSecret(settings.webhook.auth));
  });

  it.each(AUTH_KINDS)('says why requests with %s can be refused, and how the first message shows', (auth) => {
    const readme = filesOf({ ...DEFAULTS, auth, ...(auth === 'sns' && { topicArn: TOPIC }) }).get('README.md') ?? '';

    expect(readme).toContain('If requests were refused, the ');
    expect(readme).toContain('"It works." --wait --stage dev');
    expect(readme).toContain('`alarmTopicArn`');
  });

  it('names the header that the options choose', () => {
    expect(stepsOf({ auth: 'shared-token', header: 'x-mine' })).toContain('`x-mine`');
  });
});

describe('a new app', () => {
  it("is the repository's own app, with the package instead of its files", () => {
    const own = readFileSync(join(ROOT, 'bin/parley.ts'), 'utf8').replace("'../lib/index.ts'", "'@parleyhq/parley'");

    expect(filesOf(DEFAULTS).get('bin/parley.ts')).toBe(own);
  });

  it('has the feature flags of the repository, and uses the stage dev unless another one is selected', () => {
    const { stages: _, ...flags } = cdkJson.context;
    const written = JSON.parse(filesOf(DEFAULTS).get('cdk.json') ?? '');

    expect(written).toMatchObject({ app: cdkJson.app, context: { ...flags, stage: 'dev' } });
  });

  it('names the exact version of every package: those of the repository', () => {
    const { version, dependencies: tested } = packageJson;
    const { dependencies, devDependencies } = JSON.parse(filesOf(DEFAULTS).get('package.json') ?? '');

    expect({ ...dependencies, ...devDependencies }).toEqual({
      'aws-cdk': tested['aws-cdk'],
      'aws-cdk-lib': tested['aws-cdk-lib'],
      constructs: tested.constructs,
      '@parleyhq/parley': version,
      '@parleyhq/local': version,
    });
  });

  it.each([
    ['/work/My App', 'my-app'],
    ['/work/parley', 'parley'],
    ['/', 'parley-app'],
  ])('in %s has a name that npm accepts: %s', (folder, name) => {
    const files = appFiles({
      name: folder.split('/').at(-1) ?? '',
      stages: newStages(DEFAULTS),
      hasTarballs: false,
    });

    expect(JSON.parse(files.get('package.json') ?? '').name).toBe(name);
  });

  it('installs Parley from tarballs that it contains, if they are given', async () => {
    const [tarballs, folder] = [emptyFolder(), emptyFolder()];
    for (const file of TARBALLS) writeFileSync(join(tarballs, file), file);

    const { out } = await init(folder, '--tarballs', tarballs);

    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const [parley = '', local = ''] = TARBALLS;
    expect([dependencies['@parleyhq/parley'], devDependencies['@parleyhq/local']]).toEqual([
      `file:vendor/${parley}`,
      `file:vendor/${local}`,
    ]);
    expect(readFileSync(join(folder, 'vendor', parley), 'utf8')).toBe(parley);
    expect(readFileSync(join(folder, 'vendor', local), 'utf8')).toBe(local);
    expect(out).not.toContain('registry');
  });

  it('is written to a folder that is created, and the output names the next steps and the placeholders', async () => {
    const folder = join(emptyFolder(), 'deep', 'my-app');

    const { code, out, err } = await init(folder);

    expect([code, err]).toEqual([0, '']);
    expect(filesIn(folder)).toEqual(
      [
        '.github/workflows/deploy.yml',
        '.gitignore',
        'README.md',
        'bin/parley.ts',
        'cdk.json',
        'package.json',
      ].toSorted(),
    );
    expect(out).toContain("Parley's packages are not on npm's public registry yet.");
    expect(out).toContain('npm install\n  npx cdk synth ');
    expect(out).toContain('\n  stages.prod.chatChannelNumber: "+5491100000000"');
  });

  it('has no placeholders if the options say everything that prod needs', async () => {
    const { out } = await init(
      emptyFolder(),
      ...['--number', '+5491144440000', '--platform', 'chat', '--base-url', 'https://chat.bank.internal'],
      ...['--auth', 'standard-webhooks'],
    );

    expect(out).not.toContain('placeholder');
  });

  it('creates no app in a node_modules folder', async () => {
    const folder = emptyFolder();
    const app = join(folder, 'node_modules', 'my-app');

    const { code, err } = await init(app);

    expect([code, err]).toEqual([
      4,
      `parley: ${app} is in a node_modules folder, which npm manages. Use another folder.`,
    ]);
    expect(filesIn(folder)).toEqual([]);
  });

  it('does not overwrite a file, and writes none if one exists', async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'README.md'), 'mine');
    writeFileSync(join(folder, 'LICENSE'), 'mine');

    const { code, err } = await init(folder);

    expect([code, err]).toEqual([4, `parley: ${folder} already contains README.md. Use an empty folder.`]);
    expect(filesIn(folder)).toEqual(['LICENSE', 'README.md']);
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe('mine');
  });

  it.each([
    { obstacle: 'a file in place of a folder', create: (folder: string) => writeFileSync(join(folder, 'bin'), '') },
    { obstacle: 'a broken link', create: (folder: string) => symlinkSync('missing', join(folder, 'cdk.json')) },
  ])('writes no file beside $obstacle', async ({ create }) => {
    const folder = emptyFolder();
    create(folder);
    const before = readdirSync(folder);

    const { code, err } = await init(folder);

    expect([code, err]).toEqual([4, expect.stringMatching(/ already contains .+\. Use an empty folder\.$/)]);
    expect(readdirSync(folder)).toEqual(before);
  });

  it('names the file that it cannot create', async () => {
    const folder = join(emptyFolder(), 'x'.repeat(300));

    const { code, err } = await init(folder);

    expect([code, err]).toEqual([1, expect.stringMatching(/^parley: Cannot create .+\/package\.json: ENAMETOOLONG/)]);
  });
});

describe('a command in the files of a new app', () => {
  const topicArn = 'arn:aws:sns:eu-west-1:444455556666:chat-events';
  const everyFile = AUTH_KINDS.flatMap((auth) => [
    ...filesOf({ ...DEFAULTS, auth, ...(auth === 'sns' && { topicArn }) }),
  ]);
  const found = everyFile.flatMap(([file, content]) =>
    [...content.matchAll(/npx --no -- parley ([^\n`<]+)/g)].map(([, command = '']) => ({
      file,
      command: command.trim(),
    })),
  );
  const commands = [...new Map(found.map((one) => [`${one.file} ${one.command}`, one])).values()];

  it('is found', () => {
    expect(new Set(commands.map(({ file }) => file))).toEqual(new Set(['README.md', '.github/workflows/deploy.yml']));
  });

  it.each(commands)('is valid, and names its target: npx --no -- parley $command ($file)', async ({ command }) => {
    const parsed = await parseCommandLine(command.match(/"[^"]*"|\S+/g) ?? []);

    expect(Object.keys(parsed.optsWithGlobals())).toEqual(
      expect.arrayContaining([expect.stringMatching(/^(local|stage)$/)]),
    );
  });
});
