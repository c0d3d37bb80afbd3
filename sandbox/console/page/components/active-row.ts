interface Rows<Row> {
  readonly rows: readonly Row[];
  readonly hasLink: (row: Row) => boolean;
  /** Whether the console shows what the row links to. */
  readonly isCurrent: (row: Row) => boolean;
  readonly isFocused: (row: Row) => boolean;
}

/** Returns the row that has the tab stop: the one that is shown, the one that had the focus, or the first link. */
export const activeRow = <Row>({ rows, hasLink, isCurrent, isFocused }: Rows<Row>): Row | undefined => {
  const focused = rows.find(isFocused);
  // Several rows can be about the same message.
  if (focused !== undefined && isCurrent(focused)) return focused;
  return rows.find(isCurrent) ?? focused ?? rows.find(hasLink);
};

/** Returns the next row with a link, in the direction of an arrow key; undefined for other keys and at the end. */
export const nextRow = <Row>(
  rows: readonly Row[],
  activeIndex: number,
  key: string,
  hasLink: (row: Row) => boolean,
): Row | undefined => {
  if (key === 'ArrowDown') return rows.slice(activeIndex + 1).find(hasLink);
  if (key === 'ArrowUp') return rows.slice(0, Math.max(0, activeIndex)).findLast(hasLink);
  return undefined;
};
