import { type ApiResult, callApi, encodeText, type Template } from './api.ts';
import { showError, showResult, store } from './console-state.ts';

/** The approved reasons for a business to write first (contract, "Rules of use" 3). */
export const REASONS = [
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

/** What is submitted for approval. */
interface TemplateContent {
  readonly text: string;
  readonly category: string;
}

/** A template that can be sent without writing one first. */
export const SAMPLE_TEMPLATE = {
  name: 'parcel_update',
  content: { text: 'Hello ${name}, your parcel arrives *today*.', category: 'shipping-status' },
} as const;

const VARIABLE = /\$\{([^${}]+)\}/g;

/** Returns the distinct variable names of a template's text, in order of appearance. */
export const variablesOf = (text: string): readonly string[] => [
  ...new Set(Array.from(text.matchAll(VARIABLE), ([, name = '']) => name)),
];

/** Returns a template's text with its variables replaced. A variable without a value stays as it is written. */
export const fillTemplate = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replaceAll(VARIABLE, (variable, name: string) => values.get(name) || variable);

/** Submits a template for approval. Returns whether the service accepted it; shows the outcome. */
export const submitTemplate = async (name: string, content: TemplateContent): Promise<boolean> => {
  const result = await submit(name, content);
  showResult(result, ({ status }) =>
    status === 'rejected' ? `Template ${name} was rejected.` : `Template ${name} submitted for approval.`,
  );
  return result.ok;
};

/** Approves or rejects a pending template, as the service operator. Shows the outcome. */
export const decideTemplate = async (name: string, approve: boolean): Promise<void> =>
  showResult(await decide(name, approve), () => `Template ${name} ${approve ? 'approved' : 'rejected'}.`);

/** Submits and approves the sample template if it is not approved yet. Returns its name, or undefined after an error. */
export const createSampleTemplate = async (): Promise<string | undefined> => {
  const { name, content } = SAMPLE_TEMPLATE;
  if (hasApprovedRule(name)) return name;
  const isPending = store.get().templates.some((one) => one.name === name && one.status === 'pending');
  const submitted: ApiResult<unknown> = isPending ? { ok: true, value: undefined } : await submit(name, content);
  const approved = submitted.ok ? await decide(name, true) : submitted;
  if (!approved.ok) {
    showError(approved.error);
    return undefined;
  }
  if (await untilApproved(name)) return name;
  showError(`Template ${name} is approved, but its rule is not listed yet. Check the connection and try again.`);
  return undefined;
};

const submit = (name: string, content: TemplateContent) => callApi<Template>('PUT', templatePath(name), content);

const decide = (name: string, approve: boolean) =>
  callApi<Template>('POST', `${templatePath(name)}/decision`, { approve });

const templatePath = (name: string): string => `/sandbox/templates/${encodeText(name)}`;

const hasApprovedRule = (name: string): boolean =>
  store.get().rules.some((rule) => rule.name === name && rule.status === 'approved');

const APPROVAL_TIMEOUT_MS = 5_000;

/** Waits until the feed has brought the rule that the approval created. Returns whether it has. */
const untilApproved = (name: string): Promise<boolean> =>
  new Promise((resolve) => {
    const finish = (isApproved: boolean) => {
      clearTimeout(timer);
      unsubscribe();
      resolve(isApproved);
    };
    const timer = setTimeout(() => finish(false), APPROVAL_TIMEOUT_MS);
    const unsubscribe = store.subscribe(() => hasApprovedRule(name) && finish(true));
    if (hasApprovedRule(name)) finish(true);
  });
