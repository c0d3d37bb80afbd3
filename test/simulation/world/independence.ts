import type { Touches } from './touches.ts';
import type { WaitingCall } from './turns.ts';

/**
 * Tracks which calls commute with everything that other actors can do, so that a search does not have to try them in
 * every order. It learns from the runs what each actor accesses. If a later run disproves an assumption, the search
 * starts over.
 */
export interface Independence {
  /** Records what a call accesses. */
  touched(process: string, touches: Touches): void;
  /** Whether this call is independent of all calls of other actors. */
  commutes(call: WaitingCall, waiting: readonly WaitingCall[]): boolean;
  /** Whether an assumption was disproved since the last call of this function. */
  isRefuted(): boolean;
}

/** An actor's processes follow one another: `erase0.1`, `erase0.2` are the first two deliveries of one message. */
const actorOf = (process: string): string => process.split('.', 1)[0] ?? process;

/** What the invariants check during a run. The order of all calls that write it matters. */
const isVisible = (name: string): boolean => name === 'the chat service' || /^(ERASURE|ACCOUNT)#/.test(name);

/** The invariants compare a claim with what was stored about the contact at that time. */
const isClaim = (label: string): boolean => label.endsWith(' as claimed');

export const createIndependence = (): Independence => {
  const readers = new Map<string, Set<string>>();
  const writers = new Map<string, Set<string>>();
  /** What one actor writes and another accesses. */
  const shared = new Set<string>();
  let isRefuted = false;

  const add = (map: Map<string, Set<string>>, name: string, actor: string): void => {
    const actors = map.get(name) ?? new Set();
    map.set(name, actors.add(actor));
  };
  const share = (name: string): void => {
    if (shared.has(name)) return;
    const writing = writers.get(name) ?? new Set();
    const touching = new Set([...writing, ...(readers.get(name) ?? [])]);
    if (writing.size === 0 || touching.size < 2) return;
    shared.add(name);
    isRefuted = true;
  };

  return {
    touched(process, { reads, writes }) {
      const actor = actorOf(process);
      for (const name of reads) add(readers, name, actor);
      for (const name of writes) add(writers, name, actor);
      for (const name of [...reads, ...writes]) share(name);
    },
    commutes({ process, label, touches }, waiting) {
      if (touches === undefined || isClaim(label)) return false;
      const { reads, writes } = touches();
      if ([...reads, ...writes].some((name) => shared.has(name)) || writes.some(isVisible)) return false;
      // A process that dies loses the effects of the calls that it has not made: their order decides which ones.
      return writes.length === 0 || waiting.every((other) => other.process !== process || other.touches === touches);
    },
    isRefuted() {
      const was = isRefuted;
      isRefuted = false;
      return was;
    },
  };
};
