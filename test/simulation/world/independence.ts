import type { Touches } from './touches.ts';
import type { WaitingCall } from './turns.ts';

/**
 * Knows which calls commute with everything that others can do, so that a search need not try them in every order. It
 * learns from the runs what each actor touches. A search that relied on something that a later run refutes starts again.
 */
export interface Independence {
  /** Records what a call touches. */
  touched(process: string, touches: Touches): void;
  /** Whether no other actor's call can depend on this one, and this one on none of theirs. */
  commutes(call: WaitingCall, waiting: readonly WaitingCall[]): boolean;
  /** Whether something was refuted since the last time that this was asked. */
  isRefuted(): boolean;
}

/** An actor's processes follow one another: `erase0.1`, `erase0.2` are the first two deliveries of one message. */
const actorOf = (process: string): string => process.split('.', 1)[0] ?? process;

/** What the invariants look at while a run goes on: the order of everything that touches it counts. */
const isVisible = (name: string): boolean => name === 'the chat service' || /^(ERASURE|ACCOUNT)#/.test(name);

export const createIndependence = (): Independence => {
  const readers = new Map<string, Set<string>>();
  const writers = new Map<string, Set<string>>();
  /** What one actor writes and another touches. */
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
    commutes({ process, touches }, waiting) {
      if (touches === undefined) return false;
      const { reads, writes } = touches();
      if ([...reads, ...writes].some((name) => shared.has(name) || isVisible(name))) return false;
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
