/** A run of text and how the chat platform shows it. */
export type FormattedRun = { readonly text: string; readonly style: Style | 'plain' };

export type Style = 'bold' | 'italic' | 'struck' | 'code';

const MARKS: readonly (readonly [mark: string, style: Style])[] = [
  ['```', 'code'],
  ['`', 'code'],
  ['*', 'bold'],
  ['_', 'italic'],
  ['~', 'struck'],
];

/**
 * Reads the chat platform's simple text formatting (contract, "Rules of use" 8). A mark counts where a word may begin,
 * and needs its like where a word may end; anything else is text as it stands.
 */
export const parseFormatting = (text: string): readonly FormattedRun[] => {
  const runs: FormattedRun[] = [];
  let plainFrom = 0;
  let at = 0;
  const flush = (until: number) => {
    if (until > plainFrom) runs.push({ text: text.slice(plainFrom, until), style: 'plain' });
  };
  while (at < text.length) {
    const found = markedRun(text, at);
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

const markedRun = (text: string, at: number): { run: FormattedRun; end: number } | undefined => {
  if (at > 0 && /[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) return undefined;
  for (const [mark, style] of MARKS) {
    if (!text.startsWith(mark, at)) continue;
    const from = at + mark.length;
    const to = text.indexOf(mark, from);
    const inner = text.slice(from, to);
    const end = to + mark.length;
    const isWhole = to > from && !/[\p{L}\p{N}]/u.test(text[end] ?? '');
    const isTight = style === 'code' || (!/^\s|\s$/.test(inner) && !inner.includes('\n'));
    if (isWhole && isTight) return { run: { text: inner, style }, end };
  }
  return undefined;
};
