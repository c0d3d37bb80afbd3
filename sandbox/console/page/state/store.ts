import { useLayoutEffect, useState } from 'preact/hooks';

/** A value that changes, and those who look at it. */
export type Store<State> = {
  get(): State;
  /** Lays the change over the state; whoever looks is told once a frame, however much has changed. */
  set(change: Partial<State>): void;
  subscribe(listener: () => void): () => void;
};

export const createStore = <State extends object>(initial: State): Store<State> => {
  const listeners = new Set<() => void>();
  let state = initial;
  let isDue = false;
  const tell = () => {
    isDue = false;
    for (const listener of [...listeners]) listener();
  };
  return {
    get: () => state,
    set: (change) => {
      state = { ...state, ...change };
      if (isDue) return;
      isDue = true;
      requestAnimationFrame(tell);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};

/** A part of a store's state; the component is drawn again when that part becomes another one. */
export const useStore = <State extends object, Part>(store: Store<State>, select: (state: State) => Part): Part => {
  const part = select(store.get());
  const [, redraw] = useState({});
  useLayoutEffect(() => {
    let shown = part;
    const look = () => {
      const now = select(store.get());
      if (Object.is(now, shown)) return;
      shown = now;
      redraw({});
    };
    const stop = store.subscribe(look);
    // What changed between drawing and subscribing was told to nobody.
    look();
    return stop;
  });
  return part;
};
