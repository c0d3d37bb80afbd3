/** How a webhook can write events: in the contract's format, or in one of two others that real services use. */
export const EVENT_FORMAT_NAMES = ['uppercase', 'camelCase', 'v1.1'] as const;
export type EventFormatName = (typeof EVENT_FORMAT_NAMES)[number];
