const KEY = 'parley-console-open-cards';

/** Returns whether a card was open when it was last used in this browser; undefined if it was not used. */
export const wasCardOpen = (title: string): boolean | undefined => {
  const open = Reflect.get(readAll(), title);
  return typeof open === 'boolean' ? open : undefined;
};

export const rememberCard = (title: string, isOpen: boolean): void => {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...readAll(), [title]: isOpen }));
  } catch {
    // A browser can refuse to store anything. The card then opens as by default.
  }
};

const readAll = (): object => {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return typeof stored === 'object' && stored !== null ? stored : {};
  } catch {
    return {};
  }
};
