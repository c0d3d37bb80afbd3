/**
 * Every line that the functions log, and the test that makes them log it while it searches for personal data:
 * `stage` runs a whole stage (`test/e2e/leaks`), `faults` makes AWS services fail (`test/unit/lambdas/leaks`).
 */
export const LOG_LINES: Readonly<Record<string, 'stage' | 'faults'>> = {
  'invocation failed': 'faults',
  'message failed and will be retried': 'stage',
  'message failure could not be recorded': 'faults',
  'visibility not changed; the message keeps the visibility timeout of its queue': 'faults',

  'event stored': 'stage',
  'event quarantined': 'stage',
  'event deferred to the inbound queue': 'stage',
  'event not acknowledged: the inbound queue is unavailable; waiting for redelivery': 'faults',
  'queue message is not a webhook request; quarantined': 'stage',
  'deferred event stored': 'stage',
  'deferred event waits longer in the inbound queue': 'faults',
  'deferred event quarantined': 'stage',
  'handshake completed': 'faults',
  'webhook unsubscribed': 'faults',
  'webhook probe accepted': 'stage',
  'webhook secret invalid': 'faults',
  'webhook request rejected: unauthenticated': 'stage',
  'webhook request not verified: verification unavailable; waiting for redelivery': 'faults',
  'webhook request rejected: too large for the inbound queue': 'stage',

  'send accepted': 'stage',
  'send refused': 'stage',
  'send rejected': 'stage',
  'send expired': 'stage',
  'send uncertain': 'stage',
  'send waiting': 'stage',
  'result not recorded: a status already confirmed the send': 'faults',
  'result not recorded: the claim was lost': 'faults',
  'closed window not recorded': 'faults',
  'contact check unavailable; retrying the request later': 'stage',
  'contact check rejected; sending the request without it': 'stage',
  'request not sent: its contact was erased': 'stage',
  'request id reused with another body': 'stage',
  'duplicate request ignored': 'stage',
  'request dead-lettered: it could not be processed': 'stage',
  'refusal could not be recorded': 'faults',
  'malformed request': 'stage',
  'schedule deleted: the contact was erased': 'faults',
  'send scheduled': 'stage',
  'due request not sent: it was cancelled or erased, or is no longer stored': 'stage',
  'circuit breaker closed: the chat service answered a probe': 'stage',
  'circuit breaker open: requests wait while Parley makes one probe at a time': 'stage',
  'circuit breaker not updated': 'faults',

  'event bus refused events': 'stage',
  'events not published; retrying': 'stage',
  'changes not published; Lambda will retry them': 'stage',
  'change cannot be published; put on the dead-letter queue': 'stage',
  'change neither published nor put on the dead-letter queue': 'faults',

  'turn neither queued nor read; Lambda will retry the change': 'faults',
  'queue message is not a turn; deleted': 'faults',

  'management call': 'stage',
  'management call failed': 'stage',
  'send cancelled': 'stage',
  'send was cancelled before': 'stage',
  'sending stopped': 'stage',
  'sending resumed': 'stage',
  'next probe is due': 'stage',
  'contact erased': 'stage',
  'contact partly erased': 'stage',
  'dead letters moved to the table': 'stage',
  'access token expires soon': 'faults',
  'access token not read': 'faults',
  'channel silent': 'faults',
  'channel no longer silent': 'faults',
  'message missing: only its statuses arrived': 'faults',
};

/** Returns the lines that a test makes the functions log. */
export const linesDrivenBy = (test: 'stage' | 'faults'): readonly string[] =>
  Object.keys(LOG_LINES).filter((line) => LOG_LINES[line] === test);
