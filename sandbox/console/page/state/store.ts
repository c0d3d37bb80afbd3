import { useLayoutEffect, useState } from 'preact/hooks';

/** A state object that notifies its subscribers of changes. */
export interface Store<State> {
  get(): State;
  /** Merges a change into the state. Subscribers are notified at most once per frame. */
  set(change: Partial<State>): void;
  /** Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
}

export const createStore = <State extends object>(initial: State): Store<State> => {
  const listeners = new Set<() => void>();
  let state = initial;
  let isScheduled = false;
  const notify = () => {
    isScheduled = false;
    for (const listener of [...listeners]) listener();
  };
  return {
    get: () => state,
    set: (change) => {
      state = { ...state, ...change };
      if (isScheduled) return;
      isScheduled = true;
      requestAnimationFrame(notify);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};

/** Returns the selected part of a store's state and re-renders the component when that part changes. */
export const useStore = <State extends object, Part>(store: Store<State>, select: (state: State) => Part): Part => {
  const part = select(store.get());
  const [, rerender] = useState({});
  useLayoutEffect(() => {
    let rendered = part;
    const check = () => {
      const current = select(store.get());
      if (Object.is(current, rendered)) return;
      rendered = current;
      rerender({});
    };
    const unsubscribe = store.subscribe(check);
    // The state may have changed between rendering and subscribing.
    check();
    return unsubscribe;
  });
  return part;
};
