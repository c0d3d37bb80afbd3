import { CATEGORIES, type Category, putRule } from './rules.ts';
import type { Change, Moment, ServiceState } from './state.ts';

type TemplateContent = { text?: string; audioURL?: string; imageURL?: string; fileURL?: string };

/** What is submitted; any text may be claimed as the category. */
export type TemplateSubmission = TemplateContent & { category: string };

/** A template on its way to approval; once approved, a rule named after it exists. */
export type Template = TemplateSubmission & {
  readonly name: string;
  readonly status: 'pending' | 'approved' | 'rejected';
  /** Why it was rejected. */
  readonly why?: string;
  readonly submittedAt: Date;
};

const NOT_PERMITTED = `Advertising and sales messages are not permitted; the category must be one of ${CATEGORIES.join(', ')}.`;

/**
 * Submits a template for approval; one whose category is none of the approved kinds is rejected at once (contract,
 * "Rules of use" 3). A rule that an earlier approval made stays as it is until the new one is approved.
 */
export const submitTemplate = (
  state: ServiceState,
  name: string,
  submission: TemplateSubmission,
  { now }: Moment,
): Change<Template> => {
  const judged =
    approvedKind(submission.category) === undefined
      ? ({ status: 'rejected', why: NOT_PERMITTED } as const)
      : ({ status: 'pending' } as const);
  return put(state, { ...submission, ...judged, name, submittedAt: now });
};

export type DecisionOutcome =
  | { kind: 'decided'; template: Template }
  | { kind: 'unknown' }
  | { kind: 'not-pending'; status: Template['status'] };

/** The operator of the service approves a pending template, or rejects it with a reason. */
export const decideTemplate = (
  state: ServiceState,
  name: string,
  { approve, why }: { approve: boolean; why?: string },
  moment: Moment,
): Change<DecisionOutcome> => {
  const template = state.templates.get(name);
  if (template === undefined) return { result: { kind: 'unknown' }, events: [] };
  const { status, text, audioURL, imageURL, fileURL } = template;
  const category = approvedKind(template.category);
  if (status !== 'pending' || category === undefined) return { result: { kind: 'not-pending', status }, events: [] };
  if (approve) putRule(state, name, { text, audioURL, imageURL, fileURL, category, status: 'approved' }, moment);
  const { result } = put(state, {
    ...template,
    status: approve ? 'approved' : 'rejected',
    why: approve ? undefined : why,
  });
  return { result: { kind: 'decided', template: result }, events: [] };
};

const approvedKind = (category: string): Category | undefined => CATEGORIES.find((kind) => kind === category);

const put = (state: ServiceState, template: Template): Change<Template> => {
  state.templates.set(template.name, template);
  return { result: template, events: [] };
};
