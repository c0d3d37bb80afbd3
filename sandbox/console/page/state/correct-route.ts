import { store } from './console-state.ts';
import { formatRoute, type Route } from './route.ts';

/** Changes the route and the URL, but does not load what the route shows. */
export const correctRoute = (change: Partial<Route>): void => {
  const { route, pane } = store.get();
  const corrected = { ...route, ...change };
  history.replaceState({ pane }, '', formatRoute(corrected));
  store.set({ route: corrected });
};
