/** One result of the doctor's checks. */
export interface Finding {
  readonly check:
    | 'management API'
    | 'settings'
    | 'sending'
    | 'circuit breaker'
    | 'token'
    | 'webhook'
    | 'channels'
    | 'limits'
    | 'existing resources'
    | 'queues'
    | 'alarms'
    | 'sends';
  /** `failing` needs a fix now; `warning` may need one. */
  readonly grade: 'ok' | 'warning' | 'failing';
  readonly message: string;
  /** What to do. */
  readonly remedy?: string;
}
