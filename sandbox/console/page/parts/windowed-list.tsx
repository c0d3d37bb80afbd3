import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows drawn above and below what can be seen, so that scrolling shows no gap. */
const OVERSCAN = 6;

type Props<Row> = {
  rows: readonly Row[];
  rowHeight: number;
  keyOf: (row: Row) => string;
  draw: (row: Row, index: number) => ComponentChildren;
  label: string;
  empty: ComponentChildren;
  /** Kept in sight when it changes. */
  activeIndex?: number;
  onKeyDown?: (event: TargetedKeyboardEvent<HTMLDivElement>) => void;
};

/** A list of which only the rows in sight are in the page, however many there are. */
export const WindowedList = <Row,>(props: Props<Row>) => {
  const { rows, rowHeight, keyOf, draw, label, empty, activeIndex, onKeyDown } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 400 });

  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight });
    look();
    const observer = new ResizeObserver(look);
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
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys go from button to button within it
    <div
      class="windowed"
      ref={frame}
      onScroll={({ currentTarget }) => setView({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })}
      onKeyDown={onKeyDown}
    >
      {rows.length === 0 && <div class="windowed-empty">{empty}</div>}
      <ul class="windowed-rows" aria-label={label} style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(first, last).map((row, offset) => (
          <li
            key={keyOf(row)}
            style={{ transform: `translateY(${(first + offset) * rowHeight}px)`, height: `${rowHeight}px` }}
            aria-setsize={rows.length}
            aria-posinset={first + offset + 1}
          >
            {draw(row, first + offset)}
          </li>
        ))}
      </ul>
    </div>
  );
};
