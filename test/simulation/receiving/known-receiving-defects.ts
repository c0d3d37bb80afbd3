import type { ReceivingInvariantName } from './receiving-invariants.ts';
import type { ReceivingScenarioName } from './receiving-scenarios.ts';

interface KnownDefect {
  readonly what: string;
  /** The scenarios in which the search finds it, with the faults of their slice. */
  readonly scenarios: readonly ReceivingScenarioName[];
}

/** What the search finds and nobody has fixed yet. An entry must go when its defect does. */
export const KNOWN_RECEIVING_DEFECTS: Readonly<Partial<Record<ReceivingInvariantName, KnownDefect>>> = {
  nothingLost: {
    what: 'A status loses the message or the media beside it.',
    scenarios: ['statusBesideMessage', 'statusBesideMedia', 'statusBesideOurs'],
  },
  storedAsItCame: {
    what: 'Of a status that is not a failure, the body is not stored.',
    scenarios: [
      'messageAndStatus',
      'statusesOfOurs',
      'statusWithReference',
      'statusesOfUnknown',
      'unknownStatuses',
      'statusBesideMessage',
      'statusBesideMedia',
      'statusBesideOurs',
      'messageAndStatusBesideIt',
    ],
  },
  contentShown: {
    what: 'A status loses the message beside it, and a message hides its echo.',
    scenarios: [
      'messageAndEcho',
      'echoOfOurs',
      'echoOfOursElsewhere',
      'echoOfOursPerNumber',
      'statusBesideMessage',
      'statusBesideMedia',
    ],
  },
  shownOnce: {
    what: 'Where windows are per business number, an echo without one is listed beside its message.',
    scenarios: ['echoOfOursPerNumber'],
  },
  timeNeverLater: {
    what: 'A repetition with a later time, or with no time but its arrival, opens the window as of that time.',
    scenarios: ['otherTime', 'withoutTime'],
  },
  windowOnTime: {
    what: 'The same.',
    scenarios: ['otherTime', 'withoutTime'],
  },
};
