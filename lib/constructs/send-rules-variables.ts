import { seconds } from '../../lambdas/domain/duration.ts';
import type { SendRulesEnvironment } from '../../lambdas/send/environment.ts';
import { operatorEchoesOf } from '../settings/operator-settings.ts';
import type { StageSettings } from '../settings/stage-settings.ts';

/** The settings of the rules of sending. */
export type SendRulesSettings = Pick<
  StageSettings,
  | 'chatChannelNumber'
  | 'chatPlatform'
  | 'chatService'
  | 'contactCheck'
  | 'defaultTemplate'
  | 'operators'
  | 'optOutExemptReasons'
  | 'templates'
  | 'window'
>;

/** Returns the rules of sending as variables of `send` and `manage`. */
export function sendRulesVariables(settings: SendRulesSettings): SendRulesEnvironment {
  const { chatService, operators, window } = settings;
  return {
    CHAT_PLATFORM: settings.chatPlatform,
    CHAT_CHANNEL_NUMBER: settings.chatChannelNumber,
    WINDOW_MARGIN_SECONDS: seconds(window.marginSeconds),
    DEFAULT_TEMPLATE: settings.defaultTemplate,
    NUMBER_FORMAT: chatService.numberFormat,
    CONTACT_CHECK: settings.contactCheck,
    TEMPLATES: settings.templates,
    OPERATORS: operators && { echoes: operatorEchoesOf(operators) !== undefined },
    OPT_OUT_EXEMPT_REASONS: settings.optOutExemptReasons,
  };
}
