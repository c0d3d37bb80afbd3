import type { ComponentChildren, TargetedFocusEvent, TargetedKeyboardEvent } from 'preact';
import { useState } from 'preact/hooks';
import { navigate, type RouteChange } from '../state/navigate.ts';
import { activeRow, nextRow } from './active-row.ts';
import { Link } from './link.tsx';
import { VirtualList } from './virtual-list.tsx';

interface Props<Row> {
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** What a row's link shows; undefined for a row without a link. */
  readonly targetOf: (row: Row) => RouteChange | undefined;
  /** Whether the console already shows it. */
  readonly isCurrent: (row: Row) => boolean;
  readonly rowClass: string;
  readonly renderRow: (row: Row) => ComponentChildren;
  readonly label: string;
  /** Shown if there are no rows. */
  readonly empty: ComponentChildren;
}

/** A list of links that is one tab stop. The arrow keys follow the link above or below. */
export const LinkList = <Row,>({ targetOf, isCurrent, rowClass, renderRow, ...list }: Props<Row>) => {
  const { rows, keyOf } = list;
  const [focusedKey, setFocusedKey] = useState<string>();
  const hasLink = (row: Row) => targetOf(row) !== undefined;
  const active = activeRow({ rows, hasLink, isCurrent, isFocused: (row) => keyOf(row) === focusedKey });
  const activeIndex = active === undefined ? -1 : rows.indexOf(active);

  const move = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const next = nextRow(rows, activeIndex, event.key, hasLink);
    const target = next && targetOf(next);
    if (next === undefined || target === undefined) return;
    event.preventDefault();
    setFocusedKey(keyOf(next));
    navigate(target);
    focusTabStop(event.currentTarget);
  };

  const keepFocused = ({ target }: TargetedFocusEvent<HTMLDivElement>) => {
    const position = target instanceof Element ? target.closest('li')?.ariaPosInSet : undefined;
    const row = rows[Number(position) - 1];
    if (row !== undefined) setFocusedKey(keyOf(row));
  };

  return (
    <VirtualList
      {...list}
      activeIndex={activeIndex}
      shownKey={active && (isCurrent(active) || keyOf(active) === focusedKey) ? keyOf(active) : undefined}
      onKeyDown={move}
      onFocusIn={keepFocused}
      renderRow={(row, index) => {
        const target = targetOf(row);
        return target === undefined ? (
          <p class={rowClass}>{renderRow(row)}</p>
        ) : (
          <Link class={rowClass} to={target} isCurrent={isCurrent(row)} isTabStop={index === activeIndex}>
            {renderRow(row)}
          </Link>
        );
      }}
    />
  );
};

/** Waits two frames, because the row may not be rendered yet. */
const focusTabStop = (list: HTMLElement): void => {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => list.querySelector<HTMLElement>('a:not([tabindex])')?.focus({ preventScroll: true })),
  );
};
