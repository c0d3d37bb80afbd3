/** A run of text with one style. */
export interface FormattedRun {
  readonly text: string;
  readonly style: Style | 'plain';
}

export type Style = 'bold' | 'italic' | 'strikethrough' | 'code';

const MARKS: readonly (readonly [mark: string, style: Style])[] = [
  ['```', 'code'],
  ['`', 'code'],
  ['*', 'bold'],
  ['_', 'italic'],
  ['~', 'strikethrough'],
];

/**
 * Parses the chat platform's simple text formatting (contract, "Rules of use" 8). A mark opens a run only where a word
 * can start, and the matching mark must be where a word can end. Everything else is plain text.
 */
export const parseFormatting = (text: string): readonly FormattedRun[] => {
  const runs: FormattedRun[] = [];
  let plainFrom = 0;
  let at = 0;
  const flush = (until: number) => {
    if (until > plainFrom) runs.push({ text: text.slice(plainFrom, until), style: 'plain' });
  };
  while (at < text.length) {
    const found = matchRun(text, at);
    if (found === undefined) at += 1;
    else {
      flush(at);
      runs.push(found.run);
      at = found.end;
      plainFrom = at;
    }
  }
  flush(text.length);
  return runs;
};

const matchRun = (text: string, at: number): { run: FormattedRun; end: number } | undefined => {
  if (at > 0 && /[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) return undefined;
  for (const [mark, style] of MARKS) {
    if (!text.startsWith(mark, at)) continue;
    const from = at + mark.length;
    const to = text.indexOf(mark, from);
    const inner = text.slice(from, to);
    const end = to + mark.length;
    const isComplete = to > from && !/[\p{L}\p{N}]/u.test(text[end] ?? '');
    const isTight = style === 'code' || (!/^\s|\s$/.test(inner) && !inner.includes('\n'));
    if (isComplete && isTight) return { run: { text: inner, style }, end };
  }
  return undefined;
};
