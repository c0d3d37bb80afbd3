import type { Content } from './media.ts';
import type { Moment, ServiceState } from './state.ts';

/**
 * Why a business may write first. Source: contract, "Rules of use" 3: account updates or alerts, appointment
 * information, news on a previously generated activity, payment, reservation, shipping, ticket, transport, similar.
 */
export const CATEGORIES = [
  'account-update',
  'appointment',
  'activity',
  'payment',
  'reservation',
  'shipping-status',
  'ticket-change',
  'transport',
  'similar',
] as const;

export type Category = (typeof CATEGORIES)[number];

export type RuleSettings = {
  /** Variables are written `${name}`. */
  text?: string;
  audioURL?: string;
  imageURL?: string;
  fileURL?: string;
  /** Only an approved one can be sent outside the window. */
  status: 'approved' | 'pending' | 'rejected';
  /** Without one it cannot open a conversation. */
  category?: Category;
};

/** A pre-built rule, or a template, which "becomes a rule with its own name" (contract, "Rule activation request"). */
export type Rule = RuleSettings & { readonly id: string; readonly name: string };

/** Creates a rule, or replaces the one of that name, which keeps its identifier. */
export const putRule = (state: ServiceState, name: string, settings: RuleSettings, moment: Moment): Rule => {
  const rule: Rule = { ...settings, name, id: state.rules.get(name)?.id ?? moment.newId() };
  state.rules.set(name, rule);
  return rule;
};

export const findRule = (state: ServiceState, nameOrId: string): Rule | undefined =>
  state.rules.get(nameOrId) ?? [...state.rules.values()].find((rule) => rule.id === nameOrId);

const VARIABLE = /\$\{([^${}]+)\}/g;

/** The variables of a rule's text that `params` gives no value for. */
export const missingVariables = (rule: Rule, params: Record<string, string>): string[] => {
  const names = Array.from(rule.text?.matchAll(VARIABLE) ?? [], ([, name = '']) => name);
  return [...new Set(names)].filter((name) => !Object.hasOwn(params, name));
};

/** What the user sees of a rule, its variables filled in. */
export const fillRule = (rule: Rule, params: Record<string, string>): Content => ({
  messageText: rule.text?.replaceAll(VARIABLE, (_, name: string) => params[name] ?? ''),
  audioURL: rule.audioURL,
  imageURL: rule.imageURL,
  fileURL: rule.fileURL,
});
