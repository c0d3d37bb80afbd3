/** A future event. */
export interface Entry {
  readonly atMs: number;
  /** Orders entries with the same time. */
  readonly order: number;
  /** Undefined once it has happened or was cancelled. */
  happen: (() => void) | undefined;
}

/** Future events, ordered by time. */
export interface Agenda {
  add(atMs: number, order: number, happen: () => void): Entry;
  cancel(entry: Entry): void;
  /** Removes and returns the next entry, or undefined if there is none. */
  take(): Entry | undefined;
  /** How many entries have neither happened nor been cancelled. */
  readonly size: number;
}

/** Creates an agenda as a binary heap. */
export const createAgenda = (): Agenda => {
  const heap: Entry[] = [];
  let size = 0;

  const isBefore = (one: Entry, other: Entry): boolean =>
    one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);

  const rise = (entry: Entry): void => {
    let index = heap.length;
    heap.push(entry);
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(entry, parent)) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = entry;
  };

  const sink = (entry: Entry): void => {
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      let child = heap[below];
      if (child === undefined) break;
      const right = heap[below + 1];
      if (right !== undefined && isBefore(right, child)) {
        child = right;
        below += 1;
      }
      if (!isBefore(child, entry)) break;
      heap[index] = child;
      index = below;
    }
    heap[index] = entry;
  };

  const pop = (): Entry | undefined => {
    const [first] = heap;
    const last = heap.pop();
    if (last !== undefined && heap.length > 0) sink(last);
    return first;
  };

  return {
    add(atMs, order, happen) {
      const entry = { atMs, order, happen };
      rise(entry);
      size += 1;
      return entry;
    },
    cancel(entry) {
      if (entry.happen === undefined) return;
      entry.happen = undefined;
      size -= 1;
    },
    take() {
      for (let entry = pop(); entry !== undefined; entry = pop()) {
        if (entry.happen === undefined) continue;
        size -= 1;
        return entry;
      }
      return undefined;
    },
    get size() {
      return size;
    },
  };
};
