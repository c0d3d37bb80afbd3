import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT } from '../../../cli/base/errors.ts';

// The tables of docs/errors.md, from the places in the sources that make an error. What varies is shown as `…`.

const ROOT = join(import.meta.dirname, '../../..');

/** An error that the sources make. */
interface MadeError {
  readonly file: string;
  /** The exit code of the command, or the code of the management API. */
  readonly code: string;
  readonly sentence: string;
}

const QUOTED = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"/y;

/** Returns the arguments of a call, of which each is its source, from the position after the opening parenthesis. */
const argumentsAt = (source: string, start: number): readonly string[] => {
  const found: string[] = [];
  let depth = 0;
  let from = start;
  for (let at = start; at < source.length; at += 1) {
    const character = source[at] ?? '';
    if (character === "'" || character === '"') {
      QUOTED.lastIndex = at;
      at += (QUOTED.exec(source)?.[0].length ?? 1) - 1;
    } else if (character === '`') at = endOfTemplate(source, at + 1);
    else if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character) && depth > 0) depth -= 1;
    else if (character === ')' || (character === ',' && depth === 0)) {
      found.push(source.slice(from, at).trim());
      from = at + 1;
      if (character === ')') break;
    }
  }
  return found.filter((argument) => argument !== '');
};

/** Returns the position of the backtick that closes a template. */
const endOfTemplate = (source: string, start: number): number => {
  let at = start;
  while (source[at] !== '`' && at < source.length) {
    if (source[at] === '\\') at += 2;
    else if (source.startsWith('${', at)) at = endOfValue(source, at + 2) + 1;
    else at += 1;
  }
  return at;
};

/** Returns the position of the brace that closes a value in a template. */
const endOfValue = (source: string, start: number): number => {
  let depth = 0;
  for (let at = start; at < source.length; at += 1) {
    if (source[at] === '`') at = endOfTemplate(source, at + 1);
    else if (source[at] === '{') depth += 1;
    else if (source[at] === '}' && depth > 0) depth -= 1;
    else if (source[at] === '}') return at;
  }
  return source.length;
};

/** Returns the text of an expression of strings, with `…` for each value. Undefined if it has none. */
const textOf = (expression: string): string | undefined => {
  let text = '';
  for (let at = 0; at < expression.length; at += 1) {
    const character = expression[at] ?? '';
    if (character === '`') {
      const end = endOfTemplate(expression, at + 1);
      for (let inner = at + 1; inner < end; inner += 1) {
        if (!expression.startsWith('${', inner)) text += expression[inner];
        else {
          text += '…';
          inner = endOfValue(expression, inner + 2);
        }
      }
      at = end;
    } else if (character === "'" || character === '"') {
      QUOTED.lastIndex = at;
      const [whole = '', single, double] = QUOTED.exec(expression) ?? [];
      text += single ?? double ?? '';
      at += Math.max(whole.length, 1) - 1;
    } else if (character === ':' && text !== '') text += ' / ';
  }
  return text === ''
    ? undefined
    : text
        .replace(/\\(['"`])/g, '$1')
        .replace(/\s+/g, ' ')
        .trim();
};

interface Maker {
  readonly call: RegExp;
  /** Returns the code and the expression of the sentence. */
  readonly read: (given: readonly string[]) => readonly [code: string, sentence: string];
}

const exitCodeOf = (argument: string): string => {
  const name = Object.keys(EXIT).find((each) => argument === `EXIT.${each}`);
  return name === undefined ? argument : String(Reflect.get(EXIT, name));
};

const COMMAND_ERRORS: readonly Maker[] = [
  { call: /new CliError\(/g, read: ([code = '', sentence = '']) => [exitCodeOf(code), sentence] },
  { call: /new InvalidArgumentError\(/g, read: ([sentence = '']) => ['2', sentence] },
];

const API_ERRORS: readonly Maker[] = [
  { call: /\bproblem\(/g, read: ([, code = '', sentence = '']) => [textOf(code) ?? code, sentence] },
  {
    call: /\binvalidField\(/g,
    read: ([field = '', fault = '']) => ['INVALID_REQUEST', `'Invalid request: ' + ${field} + ': ' + ${fault} + '.'`],
  },
];

const errorsIn = (pattern: string, makers: readonly Maker[]): readonly MadeError[] =>
  globSync(pattern, { cwd: ROOT })
    .toSorted()
    .flatMap((file) => {
      const source = readFileSync(join(ROOT, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
      return makers.flatMap(({ call, read }) =>
        [...source.matchAll(call)].map(({ index, 0: { length } }) => {
          const [code, expression] = read(argumentsAt(source, index + length));
          return { file, code, sentence: textOf(expression) ?? textOf(constantIn(source, expression)) ?? '…' };
        }),
      );
    });

/** Returns what a name stands for in the same file. */
const constantIn = (source: string, name: string): string =>
  /^\w+$/.test(name) ? (new RegExp(`const ${name} =\\s*([\\s\\S]*?);\\n`).exec(source)?.[1] ?? '') : '';

/** The errors of the commands. */
export const commandErrors = (): readonly MadeError[] => errorsIn('cli/**/*.ts', COMMAND_ERRORS);

/** The errors of the management API. */
export const apiErrors = (): readonly MadeError[] => errorsIn('lambdas/manage/**/*.ts', API_ERRORS);

const START = '<!-- The tables are generated by `npm run schemas`. -->';

const escaped = (sentence: string): string => sentence.replace(/[<|]/g, '\\$&');

const MAX_LINE = 120;

/** Returns a row of a table. A long sentence continues in rows whose other cells are empty. */
const rowOf = (place: string, code: string, sentence: string): string => {
  const cells: string[] = [''];
  for (const word of sentence.split(' ')) {
    const line = `${cells.at(-1)} ${word}`.trim();
    const start = cells.length === 1 ? `| ${place} | ${code} | ` : '| | | ';
    if (start.length + line.length + 2 > MAX_LINE) cells.push(word);
    else cells[cells.length - 1] = line;
  }
  return cells.map((cell, index) => (index === 0 ? `| ${place} | ${code} | ${cell} |` : `| | | ${cell} |`)).join('\n');
};

const tableOf = (errors: readonly MadeError[], code: string): readonly string[] => {
  // A sentence that is only `…` passes on one of another row, or of AWS.
  const rows = errors.filter(({ sentence }) => /[a-z]{2}/.test(sentence));
  const lines = rows.map(({ file, code: each, sentence }) => {
    const [, place = ''] = /([\w-]+)\.ts$/.exec(file) ?? [];
    return rowOf(place, each, escaped(sentence));
  });
  return [`| made in | ${code} | error |`, '|---|---|---|', ...new Set(lines)];
};

/** Replaces the tables in the text of docs/errors.md. */
export const errorsPage = (page: string): string =>
  [
    page.slice(0, page.indexOf(START)) + START,
    '',
    '## Commands',
    '',
    ...tableOf(commandErrors(), 'exit code'),
    '',
    '## Management API',
    '',
    ...tableOf(apiErrors(), 'code'),
    '',
  ].join('\n');
