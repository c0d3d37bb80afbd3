import { z } from 'zod';
import { checkSettings } from './settings-faults.ts';
import { type StageSettings, stageSettings } from './stage-settings.ts';

/** The context key with which the local run replaces a stack's chat service, wherever its settings come from. */
export const LOCAL_CHAT_SERVICE_CONTEXT = 'parley:localChatService';

/** The template's metadata in which a synth for the local run writes the settings that apply. */
export const SETTINGS_METADATA = 'ParleySettings';

/** The chat service of a local run. */
export interface LocalChatService {
  readonly baseUrl: string;
  /** Where its keys are, if it signs webhook requests as Pub/Sub does. Undefined to use those of the stage. */
  readonly jwksUrl?: string | undefined;
}

const localChatService = z.object({ baseUrl: z.string(), jwksUrl: z.string().optional() }).optional();

/**
 * Replaces the chat service in settings with that of a local run.
 *
 * @param place The prefix for paths in faults.
 * @param context The value of {@link LOCAL_CHAT_SERVICE_CONTEXT}.
 * @returns undefined outside a local run.
 * @throws SettingsError if Parley cannot call the local run's chat service.
 */
export function withLocalChatService(
  settings: StageSettings,
  place: string,
  context: unknown,
): StageSettings | undefined {
  const local = localChatService.parse(context);
  if (local === undefined) return undefined;
  const { baseUrl, jwksUrl } = local;
  const { auth, ...webhook } = settings.webhook;
  const isSigned = auth.kind === 'pubsub-jwt' && jwksUrl !== undefined;
  return checkSettings(
    stageSettings,
    {
      ...settings,
      chatService: { ...settings.chatService, baseUrl },
      webhook: { ...webhook, auth: isSigned ? { ...auth, jwksUrl } : auth },
    },
    place,
  );
}
