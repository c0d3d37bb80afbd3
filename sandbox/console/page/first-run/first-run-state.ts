import { callApi, inspectorPath, type SendSummary } from '../state/api.ts';
import { serviceTime, store } from '../state/console-state.ts';
import { createStore, useStore } from '../state/store.ts';
import { type Evidence, type Item, isComplete, observe, type Progress, REFUSAL_ITEMS } from './progress.ts';

export interface FirstRunState {
  readonly progress: Progress;
  /** Whether the checklist is shown while nothing is selected. It stays when it is complete, until it is closed. */
  readonly isOpen: boolean;
  /** Whether its second part, for bots and agents, is open. */
  readonly isAgentPartOpen: boolean;
  /** What the running action is doing. */
  readonly running: string | undefined;
  /** Why the latest action failed. */
  readonly failure: string | undefined;
}

export const firstRun = createStore<FirstRunState>({
  progress: {},
  isOpen: false,
  isAgentPartOpen: false,
  running: undefined,
  failure: undefined,
});

export const useFirstRun = <Part>(select: (state: FirstRunState) => Part): Part => useStore(firstRun, select);

/** Follows the console's state from now on. */
export const followProgress = (): void => {
  let isLoaded = false;
  let knownRefusals: number | undefined;
  store.subscribe(() => {
    const { connection, hasInspector, sendStates } = store.get();
    if (connection !== 'live') return;
    update();
    const { progress } = firstRun.get();
    const { refused: refusals = 0 } = sendStates;
    const isRefusalNew = hasInspector && progress.wrote && isRefusalMissing(progress) && refusals !== knownRefusals;
    if (isRefusalNew) knownRefusals = refusals;
    const loaded = isRefusalNew ? loadRefusals() : Promise.resolve();
    if (isLoaded) return;
    isLoaded = true;
    void loaded.then(() => firstRun.set({ isOpen: !isDismissed() && !isComplete(firstRun.get().progress) }));
  });
};

/** Starts over with a new service. */
export const restartFirstRun = (): void =>
  firstRun.set({ progress: {}, isOpen: !isDismissed(), running: undefined, failure: undefined });

export const openChecklist = (): void => {
  remember(false);
  firstRun.set({ isOpen: true, failure: undefined });
};

export const closeChecklist = (): void => {
  remember(true);
  firstRun.set({ isOpen: false });
};

const update = (sends: readonly SendSummary[] = []): void => {
  const { progress } = firstRun.get();
  if (isComplete(progress) && sends.length === 0) return;
  const { users, route, conversation, eventLog } = store.get();
  const updated = observe(progress, {
    users: users.byContact.values(),
    contact: route.user,
    messages: conversation.messages,
    sends,
    eventLog,
  });
  if (updated !== progress) firstRun.set({ progress: updated });
};

const isRefusalMissing = (progress: Progress): boolean =>
  [...REFUSAL_ITEMS.values()].some((item) => progress[item] === undefined);

/** Loads the refusals of all users, because the listed requests may not include them. */
const loadRefusals = async (): Promise<void> => {
  const codes = [...REFUSAL_ITEMS].flatMap(([code, item]) => (firstRun.get().progress[item] ? [] : [code]));
  const results = await Promise.all(
    codes.map((code) =>
      callApi<{ sends: readonly SendSummary[] }>('GET', inspectorPath(`sends?state=refused&text=${code}`)),
    ),
  );
  update(results.flatMap((result) => (result.ok ? result.value.sends : [])));
};

/** Checks off an item that its button has done. */
export const recordItem = (item: Item, { contact, selection }: Pick<Evidence, 'contact' | 'selection'>): void => {
  const at = new Date(serviceTime()).toISOString();
  firstRun.set({ progress: { ...firstRun.get().progress, [item]: { contact, at, selection } } });
};

const DISMISSED = 'parley.first-run-dismissed';

/** Browsers can be set to refuse storage to pages, which throws. */
const isDismissed = (): boolean => {
  try {
    return localStorage.getItem(DISMISSED) !== null;
  } catch {
    return false;
  }
};

const remember = (isClosed: boolean): void => {
  try {
    if (isClosed) localStorage.setItem(DISMISSED, 'true');
    else localStorage.removeItem(DISMISSED);
  } catch {
    // The checklist opens again with the next page load.
  }
};
