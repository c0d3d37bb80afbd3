/** Formats a table. The first row is its header. */
export const markdownTable = (
  rows: readonly (readonly string[])[],
  isText: (column: number) => boolean = () => true,
): string =>
  rows
    .flatMap((row, index) => [
      `| ${row.join(' | ')} |`,
      ...(index === 0 ? [`| ${row.map((_, column) => (isText(column) ? '---' : '---:')).join(' | ')} |`] : []),
    ])
    .join('\n');

export const code = (text: string): string => `\`${text}\``;

/** Breaks a list item into lines of at most 120 characters. */
export const wrapped = (item: string): string => {
  const lines = [''];
  for (const word of item.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines.splice(-1, 1, word);
    else if (`${line} ${word}`.length > 120) lines.push(`  ${word}`);
    else lines.splice(-1, 1, `${line} ${word}`);
  }
  return lines.join('\n');
};
