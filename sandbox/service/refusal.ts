/** Why the service does not do what a well-formed request asks; the API gives each its HTTP status and code. */
export type Refusal =
  | { reason: 'INVALID_CHANNEL'; chatPlatform?: string; chatChannelNumber: string }
  | { reason: 'UNKNOWN_RULE'; ruleNameOrId: string }
  | { reason: 'MISSING_VARIABLE'; names: readonly string[] }
  | { reason: 'MEDIA_UNSUPPORTED'; url: string }
  | { reason: 'NOT_ON_PLATFORM'; contact: string }
  | { reason: 'INSUFFICIENT_CREDIT' }
  | { reason: 'RULE_NOT_APPROVED'; ruleName: string }
  | { reason: 'NO_APPROVED_REASON'; ruleName: string }
  | { reason: 'ACCOUNT_NOT_APPROVED' }
  | { reason: 'NO_OPT_IN'; contact: string }
  | { reason: 'WINDOW_CLOSED' };
