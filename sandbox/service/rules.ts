import {
  CATEGORIES,
  type Category,
  type Content,
  type Rule,
  type RuleSettings,
  type Template,
  type TemplateSubmission,
} from './model.ts';
import type { Change, Moment, ServiceState } from './state.ts';

/** Creates a rule, or replaces the one with this name, keeping its identifier. */
export const putRule = (state: ServiceState, name: string, settings: RuleSettings, moment: Moment): Rule => {
  const rule: Rule = { ...settings, name, id: state.rules.get(name)?.id ?? moment.newId() };
  state.rules.set(name, rule);
  return rule;
};

export const findRule = (state: ServiceState, nameOrId: string): Rule | undefined =>
  state.rules.get(nameOrId) ?? [...state.rules.values()].find((rule) => rule.id === nameOrId);

const VARIABLE = /\$\{([^${}]+)\}/g;

/**
 * Returns the variables in a rule's text that `params` has no value for. A value of only spaces counts as none: chat
 * platforms reject it, and no user should get "Hello ,".
 */
export const missingVariables = (rule: Rule, params: Record<string, string>): string[] => {
  const names = Array.from(rule.text?.matchAll(VARIABLE) ?? [], ([, name = '']) => name);
  return [...new Set(names)].filter((name) => !Object.hasOwn(params, name) || params[name]?.trim() === '');
};

/** Returns a rule's content with its variables replaced. */
export const fillRule = (rule: Rule, params: Record<string, string>): Content => ({
  messageText: rule.text?.replaceAll(VARIABLE, (_, name: string) => params[name] ?? ''),
  audioURL: rule.audioURL,
  imageURL: rule.imageURL,
  fileURL: rule.fileURL,
});

const PERMITTED = CATEGORIES.join(', ');
const NOT_PERMITTED = `Advertising and sales messages are not permitted; the category must be one of ${PERMITTED}.`;

/**
 * Submits a template for approval, or rejects it immediately if its category is not an approved reason (contract,
 * "Rules of use" 3). The rule of an earlier approval stays as it is until the new submission is approved.
 */
export const submitTemplate = (
  state: ServiceState,
  name: string,
  submission: TemplateSubmission,
  { now }: Moment,
): Change<Template> => {
  const verdict =
    approvedCategory(submission.category) === undefined
      ? ({ status: 'rejected', why: NOT_PERMITTED } as const)
      : ({ status: 'pending' } as const);
  return putTemplate(state, { ...submission, ...verdict, name, submittedAt: now });
};

export type DecisionOutcome =
  | { readonly kind: 'decided'; readonly template: Template }
  | { readonly kind: 'unknown' }
  | { kind: 'not-pending'; status: Template['status'] };

/** Records the operator's decision on a pending template. Approval creates the rule with its name. */
export const decideTemplate = (
  state: ServiceState,
  name: string,
  { approve, why }: { approve: boolean; why?: string },
  moment: Moment,
): Change<DecisionOutcome> => {
  const template = state.templates.get(name);
  if (template === undefined) return { result: { kind: 'unknown' }, events: [] };
  const { status, text, audioURL, imageURL, fileURL } = template;
  const category = approvedCategory(template.category);
  if (status !== 'pending' || category === undefined) return { result: { kind: 'not-pending', status }, events: [] };
  if (approve) putRule(state, name, { text, audioURL, imageURL, fileURL, category, status: 'approved' }, moment);
  const { result } = putTemplate(state, {
    ...template,
    status: approve ? 'approved' : 'rejected',
    why: approve ? undefined : why,
  });
  return { result: { kind: 'decided', template: result }, events: [] };
};

const approvedCategory = (category: string): Category | undefined =>
  CATEGORIES.find((approved) => approved === category);

const putTemplate = (state: ServiceState, template: Template): Change<Template> => {
  state.templates.set(template.name, template);
  return { result: template, events: [] };
};
