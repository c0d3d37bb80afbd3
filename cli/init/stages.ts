import { checkProduction } from '../../lib/settings/check-production.ts';
import { PLACEHOLDERS } from '../../lib/settings/placeholders.ts';
import { readStageSettings } from '../../lib/settings/read-stage-settings.ts';
import { checkSettings, SettingsError } from '../../lib/settings/settings-faults.ts';
import { type StageSettingsInput, stageSettings } from '../../lib/settings/stage-settings.ts';
import { CliError, EXIT } from '../base/errors.ts';
import { AUTH_OPTIONS, FLAGS, type SettingsOptions, TOKEN_HEADER } from './init-options.ts';

/** The settings of a new app's stages, as written to cdk.json. */
export interface NewStages {
  readonly dev: StageSettingsInput;
  readonly prod: StageSettingsInput;
}

/**
 * Returns the settings of a new app's stages, which are valid.
 *
 * @throws CliError that names the options with invalid values.
 */
export const newStages = (options: SettingsOptions): NewStages => {
  refuseUnusedOptions(options);
  const stages = { dev: settingsOf('dev', options), prod: { production: true, ...settingsOf('prod', options) } };
  try {
    checkSettings(stageSettings, stages.dev, PLACE);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new CliError(EXIT.usage, error.message.split('\n').map(withOption).join(' '));
  }
  return stages;
};

/** Returns the faults of the production stage, one line each: its placeholders, which synth rejects. */
export const placeholdersIn = (stages: NewStages): readonly string[] => {
  const { settings } = readStageSettings({ stages, stage: 'prod', localRun: true });
  try {
    checkProduction(settings, 'stages.prod', undefined);
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.message.split('\n');
  }
};

const settingsOf = (
  stage: string,
  { number, platform, baseUrl, contactCheckPath, numberFormat, ...auth }: SettingsOptions,
): StageSettingsInput => ({
  chatService: {
    baseUrl,
    ...(contactCheckPath !== undefined && { contactCheckPath }),
    ...(numberFormat !== undefined && { numberFormat }),
  },
  chatPlatform: platform,
  chatChannelNumber: number,
  webhook: { auth: authOf(stage, auth) },
});

type AuthOptions = Pick<SettingsOptions, 'auth' | keyof typeof AUTH_OPTIONS>;

const authOf = (stage: string, options: AuthOptions): StageSettingsInput['webhook']['auth'] => {
  const { auth: kind, audience, serviceAccountEmail, header, topicArn = '', envelope } = options;
  const wrapped = envelope === undefined ? {} : { envelope };
  switch (kind) {
    case 'pubsub-jwt':
      return {
        kind,
        audience: audience ?? PLACEHOLDERS.audience(stage),
        serviceAccountEmail: serviceAccountEmail ?? PLACEHOLDERS.serviceAccountEmail,
      };
    case 'standard-webhooks':
      return { kind, ...wrapped };
    case 'shared-token':
      return { kind, header: header ?? TOKEN_HEADER, ...wrapped };
    case 'sns':
      return { kind, topicArn };
  }
};

/** Refuses an option that the chosen authentication does not have, rather than ignoring it. */
const refuseUnusedOptions = (options: SettingsOptions): void => {
  for (const [name, { flag, kinds }] of Object.entries(AUTH_OPTIONS)) {
    if (Reflect.get(options, name) === undefined || kinds.some((kind) => kind === options.auth)) continue;
    throw new CliError(EXIT.usage, `${flag} is only for --auth ${kinds.join(' or ')}. See parley init --help.`);
  }
};

const PLACE = 'settings';

/** Names the option instead of the setting that it becomes. */
const withOption = (fault: string): string => {
  const [, path = '', rest = ''] = /^settings\.([\w.]+)(: .*)$/s.exec(fault) ?? [];
  return FLAGS.has(path) ? `${FLAGS.get(path)}${rest}` : fault;
};
