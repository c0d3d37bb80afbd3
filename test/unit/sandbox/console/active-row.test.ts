import { describe, expect, it } from 'vitest';
import { activeRow, nextRow } from '../../../../sandbox/console/page/components/active-row.ts';

/** A row without a letter has no link. */
const ROWS = ['1', 'a2', '3', 'b4', 'b5'];
const hasLink = (row: string) => /[a-z]/.test(row);
const active = ({ current, focused }: { current?: RegExp; focused?: string }) =>
  activeRow({
    rows: ROWS,
    isCurrent: (row) => current?.test(row) ?? false,
    isFocused: (row) => row === focused,
    hasLink,
  });

describe('the tab stop of a list', () => {
  it.each([
    ['the first link', {}, 'a2'],
    ['the row that had the focus', { focused: 'b4' }, 'b4'],
    ['the row that is shown, even if another had the focus', { current: /a/, focused: 'b4' }, 'a2'],
    ['the first of several rows that are shown', { current: /b/ }, 'b4'],
    ['the one that had the focus of several rows that are shown', { current: /b/, focused: 'b5' }, 'b5'],
  ])('is %s', (_, options, expected) => {
    expect(active(options)).toBe(expected);
  });
});

describe('an arrow key', () => {
  it.each([
    ['ArrowDown', 'a2', 'b4'],
    ['ArrowUp', 'b4', 'a2'],
    ['ArrowUp', 'a2', undefined],
    ['ArrowDown', 'b5', undefined],
    ['Enter', 'a2', undefined],
  ])('%s moves from %s to %s, over rows without a link', (key, from, to) => {
    expect(nextRow(ROWS, ROWS.indexOf(from), key, hasLink)).toBe(to);
  });
});
