import type { ComponentChildren, TargetedFocusEvent, TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows rendered above and below the visible ones, so that scrolling leaves no gap. */
const OVERSCAN = 6;

interface Props<Row> {
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly renderRow: (row: Row, index: number) => ComponentChildren;
  readonly label: string;
  /** Shown if there are no rows. */
  readonly empty: ComponentChildren;
  /** Always rendered, because it has the list's tab stop. */
  readonly activeIndex: number;
  /** The key of the active row, if it is to be scrolled into view when it changes. */
  readonly shownKey: string | undefined;
  readonly onKeyDown: (event: TargetedKeyboardEvent<HTMLDivElement>) => void;
  readonly onFocusIn: (event: TargetedFocusEvent<HTMLDivElement>) => void;
}

/** A list that renders only its visible rows. The style property `--row-height` sets the height of a row. */
export const VirtualList = <Row,>(props: Props<Row>) => {
  const { rows, keyOf, renderRow, label, empty, activeIndex, shownKey, onKeyDown, onFocusIn } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [{ top, height, rowHeight }, setView] = useState({ top: 0, height: 400, rowHeight: 34 });

  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const measure = () => setView(viewOf(element));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  // Not when the row only moves, because a list that grows would scroll on its own.
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null || shownKey === undefined || element.clientHeight < rowHeight) return;
    const rowTop = activeIndex * rowHeight;
    if (rowTop < element.scrollTop) element.scrollTop = rowTop;
    else if (rowTop + rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = rowTop + rowHeight - element.clientHeight;
    }
  }, [shownKey, rowHeight]);

  const first = Math.max(0, Math.floor(top / rowHeight) - OVERSCAN);
  const last = Math.min(rows.length, Math.ceil((top + height) / rowHeight) + OVERSCAN);
  const indexes = Array.from({ length: Math.max(0, last - first) }, (_, offset) => first + offset);
  if (activeIndex >= last) indexes.push(activeIndex);
  else if (activeIndex >= 0 && activeIndex < first) indexes.unshift(activeIndex);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move the focus between the links inside
    <div
      class="virtual-list"
      ref={frame}
      onScroll={({ currentTarget }) => setView(viewOf(currentTarget))}
      onKeyDown={onKeyDown}
      onFocusIn={onFocusIn}
    >
      {rows.length === 0 && <div class="virtual-list-empty">{empty}</div>}
      <ul class="virtual-list-rows" aria-label={label} style={{ height: `${rows.length * rowHeight}px` }}>
        {indexes.map((index) => {
          const row = rows[index];
          return (
            row !== undefined && (
              <li
                key={keyOf(row)}
                style={{ transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` }}
                aria-setsize={rows.length}
                aria-posinset={index + 1}
              >
                {renderRow(row, index)}
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
};

const viewOf = (element: HTMLElement) => ({
  top: element.scrollTop,
  height: element.clientHeight,
  rowHeight: Number.parseFloat(getComputedStyle(element).getPropertyValue('--row-height')),
});
