import type { ContactCheckMode } from './contact-check.ts';
import type { Ms } from './duration.ts';
import type { CallSettings, SendCall } from './send-call.ts';
import type { ApprovedReason, TemplateReference } from './send-request.ts';

/** The codes of the rules that forbid sending a request. `PROCESSING_FAILED` is not decided here but by `giveUp`. */
export const REFUSAL_CODES = [
  'WINDOW_CLOSED',
  'REASON_MISSING',
  'NO_OPT_IN',
  'OPTED_OUT',
  'MEDIA_UNSUPPORTED',
  'PARAMS_INVALID',
  'SUPERSEDED',
  'SINCE_UNKNOWN',
  'HUMAN_TOOK_OVER',
  'HANDED_OVER',
  'CONDITION_UNKNOWN',
  'PROCESSING_FAILED',
  'NOT_ON_PLATFORM',
  'CUSTOMER_UNKNOWN',
  'CUSTOMER_AMBIGUOUS',
] as const;

export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** The decision that a rule forbids sending a request, with the reason in one sentence. */
export interface Refusal {
  readonly kind: 'refuse';
  readonly code: RefusalCode;
  readonly why: string;
}

/** What to do with a request now, with the reason in one sentence. */
export type SendDecision =
  | { readonly kind: 'call'; readonly call: SendCall; readonly why: string }
  | Refusal
  | { readonly kind: 'expire'; readonly why: string };

export type CallDecision = Extract<SendDecision, { kind: 'call' }>;
/** A decision that ends the request without a call. */
export type FinalDecision = Exclude<SendDecision, { kind: 'call' }>;

/** The stage settings that a decision depends on. */
export interface SendRules extends CallSettings {
  readonly windowMarginMs: Ms;
  readonly defaultTemplate: TemplateReference | undefined;
  readonly contactCheck: ContactCheckMode;
  /** The names of the variables of known templates. Others are not checked. */
  readonly templates: Readonly<Record<string, readonly string[]>> | undefined;
  /** How the stage knows what operators do: handovers, and with `echoes` also when they write. */
  readonly operators: { readonly echoes: boolean } | undefined;
  /** The reasons that an opt-out does not block. */
  readonly optOutExemptReasons: readonly ApprovedReason[];
  /** The text that confirms an opt-out to the user. Without it, opt-outs are not confirmed. */
  readonly optOutConfirmation: string | undefined;
}

export const refuse = (code: RefusalCode, why: string): Refusal => ({ kind: 'refuse', code, why });
