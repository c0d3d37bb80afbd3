const NO_DEAD_ERASURES = 'An erasure ends before SQS moves its message. Otherwise, the run fails.';
const NO_DEAD_SCHEDULES = 'No outage of the queues lasts for the day during which a schedule retries.';
const NOT_WATCHED = 'No simulated stage watches what arrives.';
const NO_DEAD_CHANGES =
  'No outage of the bus lasts for the 12 hours after which Lambda discards a change, and the bus never refuses an event for good.';

const IN_A_STORYLINE = 'The test of the storyline failuresOfSeveralCalls has it.';

/** Witnesses that are too rare in drawn histories, and what has them instead. */
export const RARE: Readonly<Record<string, string>> = {
  'transition accept from failed': IN_A_STORYLINE,
  'transition identifyOther from failed': IN_A_STORYLINE,
};

/**
 * Witnesses that cannot occur in a simulated stage, with the reason. If one occurs, the run fails. A port call that is
 * impossible has no faults.
 */
export const IMPOSSIBLE: Readonly<Record<string, string>> = {
  'event ChannelSilent': NOT_WATCHED,
  'event ChannelResumed': NOT_WATCHED,
  'event MessageMissing': NOT_WATCHED,
  'event MessageUpdated': 'No simulated user edits a message. Identity histories and the search have edits.',
  'call intent/v2: window-closed': 'The chat service checks the window only for free-form messages.',
  'transition accept from uncertain':
    'All functions of a simulated stage share one clock, by which a lease outlives the process that holds it.',
  'port call erase delete from scheduleDeadLetters': NO_DEAD_SCHEDULES,
  'port call erase set the visibility in scheduleDeadLetters to': NO_DEAD_SCHEDULES,
  'port call erase delete from erasureDeadLetters': NO_DEAD_ERASURES,
  'port call erase set the visibility in erasureDeadLetters to': NO_DEAD_ERASURES,
  'port call erase delete from publishFailures': NO_DEAD_CHANGES,
  'port call erase set the visibility in publishFailures to': NO_DEAD_CHANGES,
  'port call keep receive from scheduleDeadLetters': NO_DEAD_SCHEDULES,
  'port call keep delete from scheduleDeadLetters': NO_DEAD_SCHEDULES,
  'port call keep set the visibility in scheduleDeadLetters to': NO_DEAD_SCHEDULES,
  'port call keep receive from erasureDeadLetters': NO_DEAD_ERASURES,
  'port call keep delete from erasureDeadLetters': NO_DEAD_ERASURES,
  'port call keep set the visibility in erasureDeadLetters to': NO_DEAD_ERASURES,
};
