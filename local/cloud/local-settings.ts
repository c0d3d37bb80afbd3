import type { z } from 'zod';
import type { LocalChatService } from '../../lib/settings/local-chat-service.ts';
import { checkSettings } from '../../lib/settings/settings-faults.ts';
import { settingsObject } from '../../lib/settings/stage-settings.ts';
import type { SynthesizedStack } from './synthesized-stack.ts';

/**
 * A placeholder for the sandbox's origin in the synthesized settings. The sandbox's port is known only when it runs,
 * and with a placeholder, several runs can use the same app. No other URL starts with it, as ports have at most five
 * digits.
 */
const SANDBOX_ORIGIN = 'http://127.0.0.1:65535';

/** Returns the sandbox that an app is synthesized for. */
export const sandboxPlaceholder = (jwksPath: string): LocalChatService => ({
  baseUrl: SANDBOX_ORIGIN,
  jwksUrl: `${SANDBOX_ORIGIN}${jwksPath}`,
});

/** Replaces the placeholder in a synthesized template with the origin of the running sandbox. */
export const withSandboxOrigin = (template: string, origin: string | undefined): string =>
  origin === undefined ? template : template.replaceAll(SANDBOX_ORIGIN, origin);

const localSettings = settingsObject.pick({
  chatService: true,
  chatPlatform: true,
  chatChannelNumber: true,
  webhook: true,
  operators: true,
  keywords: true,
  sends: true,
  turns: true,
  window: true,
});

/** The settings of a stack that the sandbox and the console depend on. */
export type LocalSettings = z.output<typeof localSettings>;

/** Reads the settings that a stack was synthesized with. @throws SettingsError if one of them is not known at synth. */
export const readLocalSettings = ({ stackName, settings }: SynthesizedStack): LocalSettings => {
  const written = Object(settings);
  const picked = Object.keys(localSettings.shape).map((name) => [name, written[name]]);
  return checkSettings(localSettings, Object.fromEntries(picked), stackName);
};
