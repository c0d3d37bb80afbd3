import { isObject } from './template/intrinsics.ts';

/** The addresses of a run that its stack's settings must name. */
export interface RunAddresses {
  readonly chatServiceUrl: string;
  /** Where the keys of the webhook's signatures are; only with a sandbox. */
  readonly jwksUrl: string | undefined;
}

/** Settings that go over a stage's own: those given, and over them the run's addresses. */
export const runSettings = (
  given: Readonly<Record<string, unknown>>,
  { chatServiceUrl, jwksUrl }: RunAddresses,
): Record<string, unknown> => {
  const chatService = { ...fieldsOf(given.chatService), baseUrl: chatServiceUrl };
  if (jwksUrl === undefined) return { ...given, chatService };
  const webhook = fieldsOf(given.webhook);
  return { ...given, chatService, webhook: { ...webhook, auth: { ...fieldsOf(webhook.auth), jwksUrl } } };
};

const fieldsOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});
