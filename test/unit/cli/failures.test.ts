import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../../cli/run.ts';
import { type ListeningServer, listenLocally } from '../../../local/base/listen-locally.ts';

// Each failure prints one line to standard error, which says what is wrong and what to do, and has its exit code.

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
  // A machine without AWS credentials.
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

type Stdin = Readable & { isTTY?: boolean };

const runCommand = async (args: readonly string[], stdin: Stdin = Readable.from([''])) => {
  const said: string[] = [];
  const printed: string[] = [];
  const code = await run({
    args,
    environment: { PARLEY_STATE_FOLDER: folder },
    stdin,
    print: (text) => printed.push(text),
    say: (line) => said.push(line),
    stop: new AbortController().signal,
    root: folder,
  });
  return { code, said, printed };
};

const fail = async (args: readonly string[], stdin?: Stdin) => {
  const { code, said, printed } = await runCommand(args, stdin);
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

describe('parley without a usable target', () => {
  it.each([
    [
      [...STATUS],
      2,
      'No target. Use --stage <name> (or set PARLEY_STAGE) for a deployed stack, or --local for the local run.',
    ],
    [[...STATUS, '--local', '--stage', 'prod'], 2, "Option '--local' cannot be used with option '--stage <name>'."],
    [[...STATUS, '--stage', 'prod'], 5, 'No AWS region set. Use --region'],
    [[...STATUS, '--stage', 'prod', '--region', 'eu-west-1'], 5, 'No AWS credentials found. Sign in'],
    [[...STATUS, '--local'], 5, 'local.json does not exist. Start the local run with npm start'],
  ])('%j exits with %i: %s', async (args, code, sentence) => {
    expect(await fail(args)).toEqual([code, expect.stringContaining(sentence)]);
  });

  it.each([
    [
      400,
      error('ValidationError', 'Stack with id Parley-prod does not exist'),
      5,
      'Stack Parley-prod does not exist in eu-west-1. Deploy it',
    ],
    [
      403,
      error('AccessDenied', 'User: arn:aws:iam::1:user/a is not authorized to perform: cloudformation:DescribeStacks'),
      5,
      'is not authorized to perform: cloudformation:DescribeStacks. Ask an administrator to grant access.',
    ],
    [
      403,
      error('ExpiredToken', 'The security token included in the request is expired'),
      5,
      'expired or invalid. Sign in again.',
    ],
    [
      200,
      '<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>x</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus></member></Stacks></DescribeStacksResult></DescribeStacksResponse>',
      5,
      'Missing outputs of stack Parley-prod in eu-west-1: WebhookUrl, ManagementUrl',
    ],
  ])('CloudFormation returns %i %s: exits with %i', async (status, body, code, sentence) => {
    signIn();
    answer = { status, body };
    expect(await fail([...STATUS, '--stage', 'prod', '--region', 'eu-west-1'])).toEqual([
      code,
      expect.stringContaining(sentence),
    ]);
  });

  it('says that the local run does not respond after it has stopped', async () => {
    const gone = 'http://127.0.0.1:9';
    const env = {
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_REGION: 'local',
      AWS_ENDPOINT_URL_CLOUDWATCH: gone,
      AWS_ENDPOINT_URL_DYNAMODB: gone,
      AWS_ENDPOINT_URL_SCHEDULER: gone,
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
      'scheduleDeadLetterQueue',
    ];
    const addresses = Object.fromEntries(names.map((name) => [`${name}Url`, gone]));
    file('local.json', JSON.stringify({ ...addresses, accessTokenSecretId: 'x', tableName: 'x', env }));
    const api = await fail([...STATUS, '--local']);
    const doctor = await fail(['doctor', '--local']);
    answer = { status: 200, body: '{"deadLetters":[]}' };
    const onlyApi = { ...addresses, managementUrl: cloudFormation.url };
    file('local.json', JSON.stringify({ ...onlyApi, accessTokenSecretId: 'x', tableName: 'x', env }));
    const queue = await fail(['dead-letters', 'list', '--local']);
    file('local.json', JSON.stringify({ ...addresses, accessTokenSecretId: 'x', tableName: 'x', env }));
    const token = await fail(['token', 'set', '--local'], Readable.from(['a-new-token']));
    const ended = spawnSync('true').pid;
    const state = { ...addresses, accessTokenSecretId: 'x', tableName: 'x', processId: ended, env };
    file('local.json', JSON.stringify(state));
    const killed = await fail(['doctor', '--local']);
    file('local.json', '{}');
    const stale = await fail([...STATUS, '--local']);
    rmSync(join(folder, 'local.json'));

    // A new token is recorded before it is stored.
    for (const failed of [api, doctor, token]) {
      expect(failed).toEqual([
        1,
        'parley: Cannot connect to the management API of the local run. It has stopped or does not respond. Start it again with npm start.',
      ]);
    }
    expect(queue).toEqual([
      1,
      expect.stringMatching(
        /Cannot connect to the local run \(ECONNREFUSED\)\. It has stopped or does not respond\. Start it again/,
      ),
    ]);
    expect(killed).toEqual([5, expect.stringMatching(/local\.json has stopped\. Start it again with npm start\.$/)]);
    expect(stale).toEqual([5, expect.stringContaining('Stop the local run and start it again.')]);
  });
});

describe('an invalid command line', () => {
  it.each([
    [['sttus', 'x'], "Unknown command 'sttus'. Did you mean status?"],
    [
      ['dead-letters'],
      'Incomplete command. Use one of: dead-letters list, dead-letters show, dead-letters redrive, dead-letters delete.',
    ],
    [['status'], "Missing required argument 'request-id'. See parley status --help."],
    [
      ['status', 'a', 'b'],
      "Too many arguments for 'status'. Expected 1 argument but got 2: a, b. See parley status --help.",
    ],
    [
      ['send', '+549', 'Hello', '--local'],
      "Too many arguments for 'send'. State the text of the message with --text. See parley send --help.",
    ],
    [['status', 'a', '--stag', 'prod'], "Unknown option '--stag'. Did you mean --stage?"],
    [['status', 'a', '--colour'], "Unknown option '--colour'. See parley status --help."],
    [['status', 'a', '--colour=red'], "Unknown option '--colour'. See parley status --help."],
    [['status', 'a', '-xyz'], "Unknown option '-x'. See parley status --help."],
    [['status', 'a', '--json=yes'], "Option '--json' does not take an argument. See parley status --help."],
    [
      ['status', 'a', '--stage', '--region'],
      "Option '--stage' argument is ambiguous. Use --stage=<value> for a value that starts with --.",
    ],
    [
      ['send', '+549', '--text', '--hello', '--local'],
      "Option '--text' argument is ambiguous. Use --text=<value> for a value that starts with --.",
    ],
    [['opt-in', '+549'], "Required option '--source <text>' not specified. See parley opt-in --help."],
    [['send', '+549', '--param', 'x'], '--param x is invalid. Use name=value, such as --param name=Ana.'],
    [
      ['dead-letters', 'list', 'all'],
      "'all' is invalid for argument 'queue'. Allowed choices are send, bulk, inbound, schedules, erasures, publishing, targets.",
    ],
    [
      ['dead-letters', 'list', '--limit', '0'],
      "Option '--limit <n>' argument '0' is invalid. It must be a whole number from 1 to 9999999.",
    ],
    [
      ['send', '+549', '--text', 'a', '--unless', 'userSlept', '--since', 'm-1'],
      '--unless userSlept is invalid. Use userWroteSince or operatorWroteSince, or both with a comma between them.',
    ],
    [['can-send', '+549', '--text', 'a', '--unless', '', '--since', 'm-1'], "--unless '' is invalid."],
    [['can-send', '+549', '--text', 'a', '--unless', 'userWroteSince'], '--unless needs --since: add the ID of'],
    [['send', '--text', 'a'], 'Name the user: either a contact, or a customer with --customer.'],
    [['send', '+549', '--customer', 'a', '--text', 'a'], 'Name the user: either a contact, or a customer with'],
    [['send', '+549', '--text', 'a', '--since', 'm-1'], '--since needs --unless: add --unless userWroteSince'],
    [['send', '+549', '--text', 'a', '--automated=yes'], "Option '--automated' does not take an argument."],
    [['erase', '+549'], 'Erasing +549 cannot be undone. Add --yes to confirm.'],
    [['erase', '--customer', 'c-1'], 'Erasing customer c-1 cannot be undone. Add --yes to confirm.'],
    [['erase', '--yes'], 'Name the user: a contact ID, such as +5491150000001, or --customer with a customer ID.'],
    [['erase', '+549', '--customer', 'c-1'], 'Use +549 or --customer c-1, not both.'],
    [['erase', '--customer', 'c-1', '--channel', '+549'], 'Remove --channel: --customer erases the customer at every'],
    [['audit-trail', '+549', '--customer', 'c-1'], 'Use +549 or --customer c-1, not both.'],
    [
      ['sends', 'list', '--contact', '+549', '--customer', 'c-1'],
      "'--customer <id>' cannot be used with option '--contact",
    ],
    [['conversation'], 'Name the user: a contact ID, such as +5491150000001, or --customer with a customer ID.'],
    [['conversation', '+549', '--customer', 'c-1'], 'Use +549 or --customer c-1, not both.'],
    [['erasure-scan', '--text', 'Hi'], 'Name the user: a contact ID, such as +5491150000001, or --customer with a'],
    [['token', 'set', '--local'], 'No valid access token on standard input.'],
  ])('%j: %s', async (args, sentence) => {
    expect(await fail(args)).toEqual([2, expect.stringContaining(sentence)]);
  });

  it('with the token as an argument is refused without repeating the token', async () => {
    expect(await fail(['token', 'set', '--local', 'the-token'])).toEqual([
      2,
      'parley: Provide the token on standard input, not as an argument. See parley token set --help.',
    ]);
  });

  it.each([
    [['token', 'set', '--token=the-token']],
    [['token', 'set', '-tthe-token']],
    [['token', 'set', '--the-token']],
    [['token', 'set', '--local=the-token']],
    [['token', 'set', '--stage', '--the-token']],
    [['token', 'the-token']],
    [['token', '--token=the-token']],
    [['token', '--token', 'the-token']],
    [['--token=the-token', 'token', 'set']],
    [['-tthe-token', 'token', 'set']],
  ])('%j is refused without repeating the token', async (args) => {
    for (const { code, said, printed } of [await runCommand(args), await runCommand([...args, '--json'])]) {
      expect([code, printed, said.length]).toEqual([2, [], 1]);
      expect(said[0]).not.toContain('the-token');
    }
  });

  it('of token still suggests what was meant', async () => {
    expect(await fail(['token', 'set', '--stag', 'prod'])).toEqual([
      2,
      'parley: Unknown argument. Did you mean --stage?',
    ]);
    expect(await fail(['token', 'sett'])).toEqual([2, 'parley: Unknown argument. Did you mean set?']);
  });

  it('can contain a value that starts with -- after an equals sign', async () => {
    expect(await fail(['send', '+549', '--text=--hello', '--local'])).toEqual([
      5,
      expect.stringContaining('Start the local run with npm start'),
    ]);
  });

  it('without redirected standard input asks for the token there', async () => {
    const keyboard = Object.assign(Readable.from(['']), { isTTY: true });
    expect(await fail(['token', 'set', '--local'], keyboard)).toEqual([
      2,
      expect.stringContaining('Provide the token on standard input'),
    ]);
  });
});

it.each([
  [[''], 'The contact is empty. Name the user'],
  [['--customer', ' '], '--customer is empty. Name the user'],
])('an erasure of %j is refused before the question', async (user, sentence) => {
  expect(await fail(['erase', ...user, '--yes', '--local'])).toEqual([2, expect.stringContaining(sentence)]);
});

describe('an invalid file', () => {
  const csv = (text: string) => file('rows.csv', text);
  const broadcast = (path: string, ...more: string[]) =>
    fail(['broadcast', path, '--contact-column', 'phone', '--text', 'Hi {{name}}', '--local', ...more]);

  it('that does not exist, or is a directory', async () => {
    expect(await broadcast(join(folder, 'none.csv'))).toEqual([
      2,
      expect.stringMatching(/none\.csv does not exist\. Check the path\.$/),
    ]);
    expect(await broadcast(folder)).toEqual([
      2,
      expect.stringContaining('is a directory. Provide the path of a file.'),
    ]);
    expect(await fail(['contacts', 'check', join(folder, 'none.txt'), '--local'])).toEqual([
      2,
      expect.stringMatching(/none\.txt does not exist\. Check the path\.$/),
    ]);
  });

  it.each([
    ['+5491150000001', 'row 812: has 1 column, but the header has 2; column name is missing'],
    ['+5491150000001,Ana,Bea', 'row 812: has 3 columns, but the header has 2; enclose values'],
  ])('with %j in row 812, whatever the target', async (row, sentence) => {
    const rows = Array.from({ length: 1000 }, (_, index) => (index === 810 ? row : `+54911500${10_000 + index},Ana`));
    const path = csv(`phone,name\n${rows.join('\n')}\n`);

    const { code, said } = await runCommand([
      ...['broadcast', path, '--contact-column', 'phone', '--text', 'Hi {{name}}', '--local'],
    ]);

    expect([code, said]).toEqual([2, expect.arrayContaining([expect.stringContaining(sentence)])]);
  });

  it.each([
    ['phone,naem\n+549,Ana\n', 'has no column "name". Did you mean "naem"? Its columns: phone, naem.'],
    [
      'mobile,name\n+549,Ana\n',
      'has no column "phone". Name the column with --contact-column. Its columns: mobile, name.',
    ],
    ['phone,name\n+549,Ana\n+549,"Ana\n', 'row 3 (line 3): a quotation mark is not closed'],
    ['phone,name,name\n+549,a,b\n', 'more than one column is named "name". Rename one of them.'],
    ['phone,,name\n+549,a,b\n', 'column 2 has no name in the header. Add one.'],
    ['phone,name\n', 'has no rows'],
    ['', 'has no rows'],
  ])('%j: %s', async (text, sentence) => {
    expect(await broadcast(csv(text))).toEqual([2, expect.stringContaining(sentence)]);
  });

  it('with lines that are no numbers', async () => {
    const lines = ['phone;name', '+54 9 11 5000-0001;Ana', 'abc;Bea', '5.49116E+12;Cai'];
    expect(await fail(['contacts', 'check', file('numbers.txt', lines.join('\r\n')), '--local'])).toEqual([
      2,
      expect.stringMatching(
        /numbers\.txt, line 3: "abc" must be a phone number; line 4: "5\.49116E\+12" is a number that a spreadsheet has rounded; .*\. Fix the lines and run the command again\.$/,
      ),
    ]);
  });

  it('without numbers', async () => {
    expect(await fail(['contacts', 'check', file('numbers.txt', 'phone\n\n'), '--local'])).toEqual([
      2,
      expect.stringContaining('has no numbers. Put one on each line'),
    ]);
  });
});
