import { readStageSettings, SettingsError } from '../../../lib/settings/read-stage-settings.ts';

/** Settings that are valid by default; a test breaks one thing. */
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
};

/** The settings of stage `prod`, read with an override or from settings of the test's own. */
export function read(settings?: unknown, prod: unknown = VALID) {
  return readStageSettings({ stages: { dev: VALID, prod }, stage: 'prod', settings }).settings;
}

/** The faults' sentences; none when the settings are read. */
export function faults(readSettings: () => unknown): string[] {
  try {
    readSettings();
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.message.split('\n');
  }
}

/** `VALID` with one setting set, or left out where the value is undefined. */
export function withSetting(
  path: string,
  value: unknown,
  settings: Readonly<Record<string, unknown>> = VALID,
): unknown {
  const [name = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...settings, [name]: value };
  const below = settings[name];
  const group = typeof below === 'object' && below !== null ? { ...below } : {};
  return { ...settings, [name]: withSetting(rest.join('.'), value, group) };
}
