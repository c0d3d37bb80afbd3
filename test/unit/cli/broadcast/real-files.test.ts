import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answerForecasts } from '../../../support/answer-forecasts.ts';
import { type LocalTarget, startLocalTarget } from '../../../support/local-target.ts';

// Files as spreadsheets, CRMs, and databases export them, through the real command.

let target: LocalTarget;
let checked: string;
beforeAll(async () => {
  const forecasts = answerForecasts((contact) => ({ decision: 'free-form', known: /\d/.test(contact) }));
  target = await startLocalTarget({}, async (method, path, sent) => {
    if (path !== '/v1/contact-checks') return forecasts(method, path, sent);
    checked = sent;
    return [200, { contacts: [] }];
  });
});
afterAll(() => target?.[Symbol.asyncDispose]());

const utf8 = (text: string) => Buffer.from(text);
const windows1252 = (text: string) => Buffer.from(text.replaceAll('€', '\u0080').replaceAll('’', '\u0092'), 'latin1');
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
const utf16be = (text: string) => utf16(text).swap16();

const ANA = '+5491150000001 Hola Ana';
const JOSE = '+5491150000002 Hola José';

interface RealFile {
  readonly file: Buffer;
  readonly options?: readonly string[];
  readonly code: number;
  readonly says: readonly string[];
  readonly sends: readonly string[];
}

const FILES: readonly (readonly [name: string, file: RealFile])[] = [
  [
    'Excel in Spanish: semicolons and windows-1252',
    {
      file: windows1252('phone;name\r\n+5491150000001;Ana\r\n+5491150000002;José\r\n'),
      code: 2,
      says: [
        'is not valid UTF-8: row 3, column 2 (name): "Jos\ufffd".',
        'Export the file as "CSV UTF-8", or add its encoding: --encoding windows-1252.',
      ],
      sends: [],
    },
  ],
  [
    'accents as characters of their own in the header, and national numbers',
    {
      file: utf8('phone,name,Tele\u0301fono\n612345678,Ana,1\n1155001001,Bea,2\n'),
      options: ['--text', 'Hola {{Tel\u00e9fono}}'],
      code: 0,
      says: ['2 of 2 messages are for a number without a plus (digits: 9, 10). Check that it starts with its country'],
      sends: ['1155001001 Hola 2', '612345678 Hola 1'],
    },
  ],
  [
    'the same file with its encoding',
    {
      file: windows1252('phone;name\r\n+5491150000001;Ana\r\n+5491150000002;José’s €5\r\n'),
      options: ['--encoding', 'windows-1252'],
      code: 0,
      says: ['2 rows, 2 contacts. Encoding: windows-1252. Delimiter: ;'],
      sends: [ANA, `${JOSE}’s €5`],
    },
  ],
  [
    'Excel’s "CSV UTF-8": a byte order mark, semicolons, and rows of only delimiters at the end',
    {
      file: utf8('\ufeffphone;name\r\n+5491150000001;Ana\r\n+5491150000002;José\r\n;\r\n;\r\n'),
      code: 0,
      says: ['2 rows, 2 contacts. Encoding: utf-8. Delimiter: ;'],
      sends: [ANA, JOSE],
    },
  ],
  [
    'Excel’s "Unicode Text": UTF-16 with tabs',
    {
      file: utf16('phone\tname\r\n+5491150000001\tAna\r\n+5491150000002\tJosé\r\n'),
      code: 0,
      says: ['Encoding: utf-16le. Delimiter: tab'],
      sends: [ANA, JOSE],
    },
  ],
  [
    'PowerShell on an older system: big-endian UTF-16, and everything in quotes',
    {
      file: utf16be('"phone","name"\r\n"+5491150000001","Ana"\r\n"+5491150000002","José"\r\n'),
      code: 0,
      says: ['Encoding: utf-16be. Delimiter: ,'],
      sends: [ANA, JOSE],
    },
  ],
  [
    'numbers that a spreadsheet broke',
    {
      file: utf8(
        'phone,name\n5.49115E+12,Ana\n"5,49115E+12",Eva\n5491150000001.0,Leo\n#N/A,Max\nNULL,Mia\n123,Kai\n' +
          '011 5000-0001,Noa\n+5491150000001 / +5491150000002,Dan\nabc,Zoe\n,Ida\n+5491150000001,Ana\n',
      ),
      code: 2,
      says: [
        '10 rows are invalid:',
        'row 2: column phone is a number that a spreadsheet has rounded; format the column as text and export it again ' +
          '("5.49115E+12")',
        'row 4: column phone is a number with decimals',
        'row 5: column phone is the content of an empty or broken cell, not a phone number or id ("#N/A")',
        'row 7: column phone has too few digits for a phone number',
        'row 8: column phone starts with 0 instead of a country code',
        'row 9: column phone is not one phone number',
        'row 10: column phone is not a phone number, and Parley knows no contact with this ID ("abc")',
        'row 11: column phone is empty',
        'Nothing was queued, because 10 rows are invalid.',
      ],
      sends: [],
    },
  ],
  [
    'a CRM without pluses, with cells that were errors',
    {
      file: utf8('phone|name\n5491150000001|Ana\n5491150000003|#REF!\n5491150000004|#¡VALOR!\n5491150000005|1.2E+15\n'),
      options: ['--skip-invalid-rows'],
      code: 6,
      says: [
        'Delimiter: |',
        'row 3: column name is a spreadsheet error; fix the formula, and export the file again ("#REF!")',
        'row 4: column name is a spreadsheet error; fix the formula, and export the file again ("#¡VALOR!")',
        'row 5: column name is a number that a spreadsheet has rounded; format it as text and export it again ("1.2E+15")',
      ],
      sends: ['5491150000001 Hola Ana'],
    },
  ],
  [
    'two lists that were joined: one contact in several spellings',
    {
      file: utf8(
        'phone,name\n+5491150000001,Ana\n+54 9 11 5000-0001,Ana\n54 11 5000 0001,Ana\n"(+54) 9 11 5000-0001",Anita\n' +
          '+5491150000002,José\n',
      ),
      code: 0,
      says: [
        '5 rows, 2 contacts.',
        '3 rows repeat the contact of an earlier row, in any spelling; only the first row of each contact will be sent:',
        '2: the same message (rows 3, 4)',
        '1: another message (row 5)',
      ],
      sends: [ANA, JOSE],
    },
  ],
  [
    'a database: line breaks and quotes inside of values, blank lines, and spaces around columns',
    {
      file: utf8(
        ' phone , name \n\n+5491150000001,"Ana ""la Rubia""\nGómez"\n\n+5491150000002 , José \n\n"+5491150000003",""\n',
      ),
      options: ['--skip-invalid-rows'],
      code: 6,
      says: ['3 rows, 2 contacts.', 'row 7: column name is empty'],
      sends: ['+5491150000001 Hola Ana "la Rubia"\nGómez', JOSE],
    },
  ],
  [
    'a file that three systems edited: each kind of line end',
    {
      file: utf8('phone,name\r\n+5491150000001,Ana\n+5491150000002,José\r'),
      code: 0,
      says: ['2 rows, 2 contacts.'],
      sends: [ANA, JOSE],
    },
  ],
  [
    'a file edited by hand: rows with too few and too many columns',
    {
      file: utf8('phone,name\n+5491150000001,Ana\n+5491150000003\n+5491150000004,Pérez, Eva\n+5491150000005,Gómez,\n'),
      options: ['--skip-invalid-rows'],
      code: 6,
      says: [
        'row 3: has 1 column, but the header has 2; column name is missing',
        'row 4: has 3 columns, but the header has 2; enclose values that contain the delimiter in quotation marks',
        'row 5: has 3 columns, but the header has 2; enclose values that contain the delimiter in quotation marks',
      ],
      sends: [ANA],
    },
  ],
  [
    'a spreadsheet whose rows are all padded, also the header',
    {
      file: utf8('phone,name,,\n+5491150000001,Ana,,\n+5491150000002,José\n+5491150000003,Eva,x,\n'),
      options: ['--skip-invalid-rows'],
      code: 6,
      says: ['row 4: has 4 columns, but the header has 2;'],
      sends: [ANA, JOSE],
    },
  ],
  [
    'exports of programs that write something in place of a missing value',
    {
      file: utf8(
        `phone,name\n${[
          ...['NULL', 'null', '\\N', 'undefined', 'NaN', 'N/A', '-', 'Err:502', '[object Object]', '#NOMBRE?', '#REF'],
          '{{name}}',
        ]
          .map((name) => `+5491150000009,${name}\n`)
          .join('')}+5491150000001,Null\n`,
      ),
      options: ['--skip-invalid-rows'],
      code: 6,
      says: [
        '12 rows are invalid:',
        'row 2: column name is what a program writes in place of a missing value; correct the cell ("NULL")',
      ],
      sends: ['+5491150000001 Hola Null'],
    },
  ],
  [
    'windows-1252 with Excel’s line that names the delimiter',
    {
      file: windows1252('sep=;\r\nphone;name\r\n+5491150000001;José\r\n'),
      code: 2,
      says: ['is not valid UTF-8: row 2, column 2 (name): "Jos\ufffd".'],
      sends: [],
    },
  ],
  [
    'windows-1252 with a quotation mark that is not closed',
    {
      file: windows1252('phone,name\n+5491150000001,"José\n'),
      code: 2,
      says: ['is not valid UTF-8: line 2. Export the file as "CSV UTF-8"'],
      sends: [],
    },
  ],
  [
    'a file that another program had damaged, with Excel’s line that names the delimiter',
    {
      file: utf8('sep=;\r\nphone;name\r\n+5491150000001;Ana\r\n+5491150000003;Jos\ufffd\r\n'),
      code: 2,
      says: [
        'Delimiter: ;',
        'row 3: column name has a character that another program could not read; export the file again ("Jos\ufffd")',
      ],
      sends: [],
    },
  ],
];

/** Receives and deletes what is on the send queue, in the order of the contacts. */
const sent = async (): Promise<readonly string[]> => {
  const QueueUrl = target.addresses.sendQueueUrl;
  const received: string[] = [];
  for (;;) {
    const { Messages = [] } = await target.sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    if (Messages.length === 0) return received.toSorted();
    for (const { Body = '', ReceiptHandle } of Messages) {
      const { platformContactId, messageText } = JSON.parse(Body);
      received.push(`${platformContactId} ${messageText}`);
      await target.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  }
};

it.each(FILES)('%s', async (_, { file, options = [], code, says, sends }) => {
  await target.clock.advance(301_000);
  const csv = join(target.folder, 'list.csv');
  writeFileSync(csv, file);

  const ran = await target.parley([
    ...['broadcast', csv, '--contact-column', 'phone', '--text', 'Hola {{name}}', '--yes'],
    ...options,
  ]);

  for (const sentence of says) expect(ran.err).toContain(sentence);
  expect([ran.code, await sent()]).toEqual([code, sends]);
});

it.each([
  ['NUL characters', Buffer.from('phone,name\r\n+5491150000001,Ana\r\n', 'utf16le'), [], 'has NUL characters'],
  ['an unknown encoding', utf8('phone,name\n'), ['--encoding', 'ansi-latin'], '--encoding ansi-latin is unknown. Use'],
  ['a delimiter that is none', utf8('phone,name\n'), ['--delimiter', 'comma'], '--delimiter "comma" is invalid. Use'],
  ['a delimiter that encloses values', utf8('phone,name\n'), ['--delimiter', '"'], 'is invalid. Use'],
  ['a delimiter that ends rows', utf8('phone,name\n'), ['--delimiter', '\n'], 'is invalid. Use'],
  ['an encoding that is not its own', utf16('phone,name\n'), ['--encoding', 'utf-8'], 'so it is not utf-8 text'],
  ['a header that is not UTF-8', windows1252('teléfono;name\n'), [], 'row 1, column 1: "tel\ufffdfono".'],
])('a file with %s is refused', async (_, file, options, sentence) => {
  const csv = join(target.folder, 'list.csv');
  writeFileSync(csv, file);

  const { code, err } = await target.parley(['broadcast', csv, '--text', 'Hi', '--yes', ...options]);

  expect([code, err]).toEqual([2, expect.stringContaining(sentence)]);
});

it('without a byte order mark, UTF-16 is read if it is stated', async () => {
  const csv = join(target.folder, 'list.csv');
  writeFileSync(csv, Buffer.from('phone;name\r\n+5491150000001;Ana\r\n', 'utf16le'));
  const stated = ['--encoding', 'utf-16le', '--delimiter', ';', '--dry-run'];

  const { out } = await target.parley(['broadcast', csv, '--contact-column', 'phone', '--text', 'Hi', ...stated]);

  expect(out).toContain('1 of 1 row would be queued (dry run).');
});

it('contacts check reads UTF-16 with a byte order mark too', async () => {
  const csv = join(target.folder, 'numbers.csv');
  writeFileSync(csv, utf16('phone\r\n+5491150000001\r\n+5491150000002\r\n'));

  await target.parley(['contacts', 'check', csv]);

  expect(JSON.parse(checked)).toEqual({ contacts: ['+5491150000001', '+5491150000002'] });
});

it('a file of 100,000 rows is planned without sending, and a fault in its last row is found', {
  timeout: 300_000,
}, async () => {
  const rows = Array.from({ length: 99_999 }, (_, row) => `+54911${60_000_000 + row},Ana ${row}`);
  const csv = join(target.folder, 'large.csv');
  writeFileSync(csv, `phone,name\n${rows.join('\n')}\n#N/A,Ana\n`);

  const { code, out } = await target.parley([
    ...['broadcast', csv, '--contact-column', 'phone', '--text', 'Hi {{name}}', '--dry-run'],
  ]);

  expect(code).toBe(6);
  expect(out).toContain('100000 rows, 99999 contacts.');
  expect(out).toContain('row 100001: column phone is the content of an empty or broken cell');
  expect(out).toContain('99999 of 100000 rows would be queued (dry run).');
});
