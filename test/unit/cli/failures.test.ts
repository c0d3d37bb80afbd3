import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../cli/commands.ts';
import { run } from '../../../cli/run.ts';
import { type ListeningServer, listenLocally } from '../../../local/listen-locally.ts';

// Each failure is one sentence on standard error that names the place and the remedy, and a code that scripts can use.

let folder: string;
let cloudFormation: ListeningServer;
let answer: { status: number; body: string };
const before = { ...process.env };

const error = (code: string, message: string) =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-failures-'));
  cloudFormation = await listenLocally(
    createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(answer.status, { 'content-type': 'text/xml' }).end(answer.body);
      });
    }),
  );
});
afterAll(async () => {
  await cloudFormation.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  // A machine on which nobody has signed in to AWS.
  for (const name of Object.keys(process.env)) if (/^AWS_/.test(name)) delete process.env[name];
  Object.assign(process.env, {
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: join(folder, 'none'),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none'),
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url,
    AWS_MAX_ATTEMPTS: '1',
  });
});
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});

const signIn = () => Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' });

const fail = async (args: readonly string[], stdin: Readable & { isTTY?: boolean } = Readable.from([''])) => {
  const said: string[] = [];
  const printed: string[] = [];
  const code = await run(
    {
      args,
      environment: { PARLEY_STATE_FOLDER: folder },
      stdin,
      print: (text) => printed.push(text),
      say: (line) => said.push(line),
      stop: new AbortController().signal,
      root: folder,
    },
    COMMANDS,
  );
  expect(printed).toEqual([]);
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/^parley: [^\n]+[.?]$/);
  return [code, said[0]];
};

const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const STATUS = ['status', 'order-17'];

describe('where it acts', () => {
  it.each([
    [[...STATUS], 2, 'Say where: --stage NAME (or PARLEY_STAGE) for a deployed stack, --local for the local run.'],
    [[...STATUS, '--local', '--stage', 'prod'], 2, 'Give --local, or a stack by --stage or --stack, not both.'],
    [[...STATUS, '--stage', 'prod'], 5, 'No AWS region is set; give --region'],
    [[...STATUS, '--stage', 'prod', '--region', 'eu-west-1'], 5, 'No AWS credentials were found; sign in'],
    [[...STATUS, '--local'], 5, 'local.json; start the local run with npm start'],
  ])('%j ends with %i: %s', async (args, code, sentence) => {
    expect(await fail(args)).toEqual([code, expect.stringContaining(sentence)]);
  });

  it.each([
    [
      400,
      error('ValidationError', 'Stack with id Parley-prod does not exist'),
      5,
      'There is no stack Parley-prod in eu-west-1; deploy it',
    ],
    [
      403,
      error('AccessDenied', 'User: arn:aws:iam::1:user/a is not authorized to perform: cloudformation:DescribeStacks'),
      5,
      'is not authorized to perform: cloudformation:DescribeStacks. Ask for that permission.',
    ],
    [
      403,
      error('ExpiredToken', 'The security token included in the request is expired'),
      5,
      'expired or are not valid; sign in again.',
    ],
    [
      200,
      '<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>x</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus></member></Stacks></DescribeStacksResult></DescribeStacksResponse>',
      5,
      'has no output WebhookUrl, ManagementUrl',
    ],
  ])('CloudFormation answers %i %s: it ends with %i', async (status, body, code, sentence) => {
    signIn();
    answer = { status, body };
    expect(await fail([...STATUS, '--stage', 'prod', '--region', 'eu-west-1'])).toEqual([
      code,
      expect.stringContaining(sentence),
    ]);
  });

  it('a local run that has ended since is said to have', async () => {
    const gone = 'http://127.0.0.1:9';
    const env = {
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_REGION: 'local',
      AWS_ENDPOINT_URL_SECRETS_MANAGER: gone,
      AWS_ENDPOINT_URL_SQS: gone,
    };
    const names = [
      'webhook',
      'management',
      'sendQueue',
      'sendDeadLetterQueue',
      'inboundQueue',
      'inboundDeadLetterQueue',
    ];
    const addresses = Object.fromEntries(names.map((name) => [`${name}Url`, gone]));
    file('local.json', JSON.stringify({ ...addresses, accessTokenSecretId: 'x', env }));
    const api = await fail([...STATUS, '--local']);
    const queue = await fail(['dead-letters', 'list', '--local']);
    const token = await fail(['token', 'set', '--local'], Readable.from(['a-new-token']));
    file('local.json', '{}');
    const stale = await fail([...STATUS, '--local']);
    rmSync(join(folder, 'local.json'));

    expect(api).toEqual([
      1,
      'parley: The management API of the local run does not answer; is npm start still running?',
    ]);
    for (const failed of [queue, token]) {
      expect(failed).toEqual([
        1,
        expect.stringMatching(/the local run does not answer \(ECONNREFUSED\); is npm start still running\?/),
      ]);
    }
    expect(stale).toEqual([5, expect.stringContaining('start the local run again.')]);
  });
});

describe('the command line', () => {
  it.each([
    [['sttus', 'x'], 'There is no command "sttus"; did you mean status?'],
    [
      ['dead-letters'],
      '"dead-letters" is no whole command; there is dead-letters list, dead-letters show, dead-letters redrive.',
    ],
    [['status'], 'REQUEST is missing: the request id; see parley status --help.'],
    [['status', 'a', 'b'], '"b" is one word too many; see parley status --help.'],
    [['status', 'a', '--stag', 'prod'], 'There is no option --stag; did you mean --stage?'],
    [['status', 'a', '--colour'], 'There is no option --colour; see parley status --help.'],
    [['opt-in', '+549'], '--source TEXT is missing'],
    [['send', '+549', '--param', 'x'], '--param is "x" but must be NAME=VALUE, such as --param name=Ana.'],
    [['dead-letters', 'list', 'all'], 'There is no dead-letter queue "all"; it is send or inbound.'],
    [['dead-letters', 'list', '--limit', '0'], '--limit is "0" but must be a whole number from 1.'],
    [['erase', '+549'], 'Erasing +549 cannot be undone; give --yes to do it.'],
    [['token', 'set', '--local', 'the-token'], '"the-token" is one word too many'],
    [['token', 'set', '--local'], 'Standard input holds no access token'],
  ])('%j: %s', async (args, sentence) => {
    expect(await fail(args)).toEqual([2, expect.stringContaining(sentence)]);
  });

  it('asks for the token by standard input where that is a keyboard', async () => {
    const keyboard = Object.assign(Readable.from(['']), { isTTY: true });
    expect(await fail(['token', 'set', '--local'], keyboard)).toEqual([
      2,
      expect.stringContaining('comes by standard input'),
    ]);
  });
});

describe('a file', () => {
  const csv = (text: string) => file('rows.csv', text);
  const broadcast = (path: string, ...more: string[]) =>
    fail(['broadcast', path, '--contact-column', 'phone', '--text', 'Hi ${name}', '--local', ...more]);

  it('that is not there, or is a folder', async () => {
    expect(await broadcast(join(folder, 'none.csv'))).toEqual([
      2,
      expect.stringMatching(/There is no file .*none\.csv; give the path of one\.$/),
    ]);
    expect(await broadcast(folder)).toEqual([2, expect.stringContaining('is a folder; give the path of a file.')]);
    expect(await fail(['contacts', 'check', join(folder, 'none.txt'), '--local'])).toEqual([
      2,
      expect.stringContaining('There is no file'),
    ]);
  });

  it('with a column missing in row 812', async () => {
    const rows = Array.from({ length: 1000 }, (_, index) =>
      index === 811 ? '+5491150000812' : `+549115000${index},Ana`,
    );
    expect(await broadcast(csv(`phone,name\n${rows.join('\n')}\n`))).toEqual([
      2,
      expect.stringMatching(
        /rows\.csv, row 812 \(line 813\): the column "name" is missing: it has 1 where the heading has 2\. Mend the row and start again\.$/,
      ),
    ]);
  });

  it.each([
    ['phone,naem\n+549,Ana\n', 'has no column "name"; did you mean "naem"? Its columns: phone, naem.'],
    ['mobile,name\n+549,Ana\n', 'has no column "phone"; name another, or add it. Its columns: mobile, name.'],
    ['phone,name\n+549,Ana,Bea\n', 'row 1 (line 2): there are too many columns: it has 3 where the heading has 2'],
    ['phone,name\n+549,"Ana\n', 'a quotation mark is opened and not closed'],
    ['phone,name,name\n+549,a,b\n', 'the heading names the column "name" twice; rename one.'],
    ['phone,,name\n+549,a,b\n', 'column 2 of the heading has no name; give it one.'],
    ['phone,name\n', 'holds no row'],
    ['', 'holds no row'],
  ])('%j: %s', async (text, sentence) => {
    expect(await broadcast(csv(text))).toEqual([2, expect.stringContaining(sentence)]);
  });

  it('of numbers that holds none', async () => {
    expect(await fail(['contacts', 'check', file('numbers.txt', 'phone\n\n'), '--local'])).toEqual([
      2,
      expect.stringContaining('holds no number; put one a line'),
    ]);
  });
});
