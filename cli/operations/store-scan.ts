/** Where a store contains a trace of the user, but not what the trace is. */
export interface Trace {
  readonly store: string;
  /** The key of an item, the name of a schedule, the id of a message, or a line of a log. */
  readonly place: string;
  /** The fields with a trace, if the place has fields. */
  readonly fields: readonly string[];
}

/** What was searched in a store. */
export interface SearchedStore {
  readonly store: string;
  readonly kind: 'items' | 'schedules' | 'messages' | 'lines';
  readonly count: number;
  /** How many messages could not be read: another consumer has received them, or they are behind others of a group. */
  readonly unread?: number;
}

/** The search of one store. */
export interface StoreScan {
  readonly searched: SearchedStore;
  readonly traces: readonly Trace[];
}
