import { readStageSettings } from '../../../../lib/settings/read-stage-settings.ts';
import { SettingsError } from '../../../../lib/settings/settings-faults.ts';

/** Valid settings without optional ones; a test breaks one thing. */
export const VALID = {
  chatService: { baseUrl: 'https://chat-service.example' },
  chatPlatform: 'chat',
  chatChannelNumber: '+5491100000000',
  webhook: {
    auth: {
      kind: 'pubsub-jwt',
      audience: 'parley-prod',
      serviceAccountEmail: 'events@project.iam.gserviceaccount.com',
    },
  },
} as const;

/** Valid settings of a production stage, which rejects placeholders. */
export const PRODUCTION = {
  production: true,
  chatService: { baseUrl: 'https://chat-service.bank.internal' },
  chatPlatform: 'chat',
  chatChannelNumber: '+5491144440000',
  webhook: {
    auth: {
      kind: 'pubsub-jwt',
      audience: 'parley-prod',
      serviceAccountEmail: 'chat-events@bank-messaging.iam.gserviceaccount.com',
    },
  },
} as const;

/** Reads the settings of stage `prod`, with an override or from the settings given. */
export function read(settings?: unknown, prod: unknown = VALID) {
  return readStageSettings({ stages: { dev: VALID, prod }, stage: 'prod', settings }).settings;
}

/** Returns the sentences of the `SettingsError` that the function throws; none if it throws nothing. */
export function faults(readSettings: () => unknown): string[] {
  try {
    readSettings();
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.message.split('\n');
  }
}

/** Returns `VALID` with one setting replaced, or removed if the value is undefined. */
export function withSetting(
  path: string,
  value: unknown,
  settings: Readonly<Record<string, unknown>> = VALID,
): Readonly<Record<string, unknown>> {
  const [name = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...settings, [name]: value };
  const below = settings[name];
  const group = typeof below === 'object' && below !== null ? { ...below } : {};
  return { ...settings, [name]: withSetting(rest.join('.'), value, group) };
}
