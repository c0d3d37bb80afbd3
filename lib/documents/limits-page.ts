import { MAX_RETRIED_MS } from '../../lambdas/domain/backoff.ts';
import { MAX_ADDRESSES, MAX_CUSTOMERS } from '../../lambdas/domain/customer.ts';
import { MAX_DETAIL_BYTES } from '../../lambdas/domain/events/serialize-event.ts';
import { MAX_EARLIER_VERSIONS } from '../../lambdas/domain/message-version.ts';
import { MAX_ID_BYTES, MAX_NAME_LENGTH } from '../../lambdas/domain/schema.ts';
import { MAX_FAILING_MS, MAX_QUEUED_MS, MAX_UNKNOWN_OUTCOMES } from '../../lambdas/domain/send.ts';
import { MAX_REQUEST_BYTES } from '../../lambdas/domain/send-request.ts';
import { MAX_BUFFERED_BODY_BYTES, MAX_EVENT_BYTES } from '../../lambdas/domain/serialized-request.ts';
import { MAX_AHEAD_DAYS } from '../../lambdas/domain/too-far-ahead.ts';
import { MAX_STATUS_BYTES } from '../../lambdas/domain/webhook-event.ts';
import { MAX_POST_BYTES, MAX_POST_EVENTS } from '../../lambdas/domain/webhook-formats/split-post.ts';
import { WINDOW_MS } from '../../lambdas/domain/window.ts';
import { MAX_CHECKED_CONTACTS } from '../../lambdas/manage/api/contact-checks.ts';
import { MAX_FORECAST_CONTACTS } from '../../lambdas/manage/api/forecasts.ts';
import { MAX_PAGE_SIZE } from '../../lambdas/manage/api/send-lists.ts';
import { MAX_STACK_NAME_LENGTH } from '../parley-stack.ts';
import { MAX_TEMPLATES_CHARACTERS } from '../settings/stage-settings.ts';
import { withGenerated } from './markdown.ts';

type Row = readonly [what: string, limit: string, beyond: string];

const HOUR_MS = 60 * 60 * 1000;

const count = (value: number): string => value.toLocaleString('en-US');
const bytes = (value: number): string => (value % 1024 === 0 ? `${count(value / 1024)} KiB` : `${count(value)} bytes`);
const hours = (ms: number): string => `${ms / HOUR_MS} hours`;
const days = (ms: number): string => `${ms / HOUR_MS / 24} days`;

const SENDING: readonly Row[] = [
  ['a request', bytes(MAX_REQUEST_BYTES), 'dead-lettered as malformed; nothing is sent'],
  ['`requestId`', '128 characters', 'dead-lettered as malformed'],
  ['`broadcastId`', '64 characters', 'dead-lettered as malformed'],
  ['names and variables’ names', `${count(MAX_NAME_LENGTH)} characters`, 'dead-lettered as malformed'],
  ['`sendAt`', `${count(MAX_AHEAD_DAYS)} days ahead`, 'dead-lettered as malformed'],
  ['how long a request is retried', days(MAX_RETRIED_MS), 'expires'],
  ['how long a request stays in the queue, even if it is rarely retried', days(MAX_QUEUED_MS), 'expires'],
  ['how long a request that cannot be processed is retried', hours(MAX_FAILING_MS), 'dead-lettered'],
  ['calls with an unknown outcome, with `onUncertain: "resend"`', count(MAX_UNKNOWN_OUTCOMES), 'stays `uncertain`'],
  ['the conversation window', hours(WINDOW_MS), 'only templates are sent'],
];

const RECEIVING: readonly Row[] = [
  ['an event that is never refused', bytes(MAX_EVENT_BYTES), 'accepted only if it compresses; otherwise 413'],
  ['a body that is never refused with buffered ingress', bytes(MAX_BUFFERED_BODY_BYTES), '413'],
  ['a status that is kept as received', bytes(MAX_STATUS_BYTES), 'its time is recorded, and it is quarantined'],
  ['an event’s ID', bytes(MAX_ID_BYTES), 'quarantined'],
  ['addresses of a customer', count(MAX_ADDRESSES), 'the customer ID identifies nobody, and nothing follows it'],
  ['customers of an address', count(MAX_CUSTOMERS), 'only the latest user is followed'],
  ['earlier versions of a message', count(MAX_EARLIER_VERSIONS), 'quarantined'],
  ['events in one post', count(MAX_POST_EVENTS), 'the post is quarantined'],
  ['the events of one post in total', bytes(MAX_POST_BYTES), 'the post is quarantined'],
];

const PUBLISHING: readonly Row[] = [
  ['an event’s `detail`', bytes(MAX_DETAIL_BYTES), 'long texts are shortened, then the content is left out'],
];

const MANAGING: readonly Row[] = [
  ['a page of a list', count(MAX_PAGE_SIZE), '400'],
  ['contacts in a forecast', count(MAX_FORECAST_CONTACTS), '400; `parley broadcast` makes several calls'],
  ['contacts in a contact check', count(MAX_CHECKED_CONTACTS), '400'],
];

const DEPLOYING: readonly Row[] = [
  ['the stack’s name', `${MAX_STACK_NAME_LENGTH} characters`, 'synth fails'],
  ['`templates`, as JSON', `${count(MAX_TEMPLATES_CHARACTERS)} characters`, 'synth fails'],
];

/** Returns docs/limits.md with the generated part replaced: the limits as the code has them. */
export const limitsPage = (page: string): string => {
  const parts = [
    section('Sending', SENDING),
    section('Receiving', RECEIVING),
    section('Publishing', PUBLISHING),
    section('The management API', MANAGING),
    section('Deploying', DEPLOYING),
  ];
  return withGenerated(page, parts.join('\n'));
};

const section = (title: string, rows: readonly Row[]): string =>
  [
    `## ${title}`,
    '',
    '| what | limit | beyond it |',
    '|---|---|---|',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
    '',
  ].join('\n');
