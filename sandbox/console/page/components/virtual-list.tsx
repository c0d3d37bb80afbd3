import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows rendered above and below the visible ones, so that scrolling leaves no gap. */
const OVERSCAN = 6;

type Props<Row> = {
  rows: readonly Row[];
  /** In pixels. */
  rowHeight: number;
  keyOf: (row: Row) => string;
  renderRow: (row: Row, index: number) => ComponentChildren;
  label: string;
  emptyText: string;
  /** Scrolled into view when it changes. */
  activeIndex?: number;
  onKeyDown?: (event: TargetedKeyboardEvent<HTMLDivElement>) => void;
};

/** A list that renders only its visible rows. */
export const VirtualList = <Row,>(props: Props<Row>) => {
  const { rows, rowHeight, keyOf, renderRow, label, emptyText, activeIndex, onKeyDown } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 400 });

  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null || activeIndex === undefined || activeIndex < 0 || element.clientHeight < rowHeight) return;
    const top = activeIndex * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + rowHeight - element.clientHeight;
    }
  }, [activeIndex, rowHeight]);

  const first = Math.max(0, Math.floor(view.top / rowHeight) - OVERSCAN);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / rowHeight) + OVERSCAN);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move the focus between the buttons inside
    <div
      class="virtual-list"
      ref={frame}
      onScroll={({ currentTarget }) => setView({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })}
      onKeyDown={onKeyDown}
    >
      {rows.length === 0 && <div class="virtual-list-empty">{emptyText}</div>}
      <ul class="virtual-list-rows" aria-label={label} style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(first, last).map((row, offset) => (
          <li
            key={keyOf(row)}
            style={{ transform: `translateY(${(first + offset) * rowHeight}px)`, height: `${rowHeight}px` }}
            aria-setsize={rows.length}
            aria-posinset={first + offset + 1}
          >
            {renderRow(row, first + offset)}
          </li>
        ))}
      </ul>
    </div>
  );
};
