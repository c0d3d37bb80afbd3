import type { EventFormatName } from '../../base/event-format-names.ts';
import type { ChatEvent, EventFormat } from '../events.ts';
import { camelCaseFormat } from './camel-case-format.ts';
import { uppercaseFormat } from './uppercase-format.ts';
import { v11Format } from './v1.1-format.ts';

export const EVENT_FORMATS: Readonly<Record<EventFormatName, EventFormat>> = {
  uppercase: uppercaseFormat,
  camelCase: camelCaseFormat,
  'v1.1': v11Format,
};

/** Returns the body with which an event is delivered. */
export const writeEvent = (format: EventFormatName, chatPlatform: string, event: ChatEvent): unknown =>
  event.kind === 'messages'
    ? EVENT_FORMATS[format].writeMessages(chatPlatform, event.messages)
    : EVENT_FORMATS[format].writeStatus(chatPlatform, event);
