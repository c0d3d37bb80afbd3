import { type DescribedSetting, describedSettings } from '../settings/settings-guide.ts';
import { withGenerated, wrap } from './markdown.ts';

/** The page's sections, each with settings of the top level and the page that says more. */
const SECTIONS: readonly { readonly title: string; readonly settings: readonly string[]; readonly more?: string }[] = [
  {
    title: 'Chat service',
    settings: ['chatService', 'chatPlatform', 'chatChannelNumber'],
    more: '[Operating](operating.md) explains how Parley handles each answer from the chat service.',
  },
  {
    title: 'Webhook',
    settings: ['webhook', 'allowInsecureWebhook'],
    more: '[Receiving](receiving.md) has a sample for each kind.',
  },
  {
    title: 'Sending',
    settings: ['window', 'contactCheck', 'optOutExemptReasons', 'templates', 'defaultTemplate', 'sends'],
    more: '[Sending](sending.md) explains how Parley decides what to send.',
  },
  {
    title: 'Keywords',
    settings: ['keywords'],
    more: '[Keywords](receiving.md#keywords) explains which messages count as keywords.',
  },
  {
    title: 'Operators and handovers',
    settings: ['operators'],
    more: '[Handovers](sending.md#handovers) explains handovers. `operators: {}` allows them only through the management API.',
  },
  {
    title: 'Turns',
    settings: ['turns'],
    more: '[Turns](events.md#turns) explains what a turn contains.',
  },
  { title: 'Events', settings: ['events'], more: '[Events](events.md) lists all events, with samples.' },
  {
    title: 'Retention',
    settings: ['retentionDays'],
    more: '[Security](security.md#what-is-stored-and-for-how-long) says why 400 days is the default.',
  },
  {
    title: 'Protection and encryption',
    settings: ['production', 'customerManagedKey'],
    more: 'A table, event bus, key, VPC, or domain name that you already have is [a property](existing-resources.md).',
  },
  {
    title: 'Limits and rollouts',
    settings: ['reservedConcurrency', 'rollout'],
    more: '[Delivery](delivery.md) describes gradual rollouts.',
  },
  { title: 'Tags', settings: ['tags'], more: '[Cost](cost.md#cost-allocation) shows how to see the bill by tag.' },
  {
    title: 'Alarms',
    settings: ['alarmTopicArn', 'runbookUrl'],
    more: '[The runbook](runbook.md) describes every alarm.',
  },
];

/** Everything that is required in other settings is so only if they are set. */
const ALWAYS_REQUIRED = new Set(['chatService', 'chatPlatform', 'chatChannelNumber', 'webhook']);

/**
 * Returns docs/settings.md with the generated part replaced: each setting with its description and its default.
 *
 * @throws Error if a setting is in no section, or has no description
 */
export function settingsPage(page: string): string {
  const settings = describedSettings();
  const placed = SECTIONS.flatMap((section) => section.settings);
  const missing = settings.map(topLevelOf).filter((name) => !placed.includes(name));
  if (missing.length > 0) throw new Error(`Add to a section of lib/documents/settings-page.ts: ${missing.join(', ')}`);
  const sections = SECTIONS.map(({ title, settings: names, more }) => {
    const entries = names.flatMap((name) => settings.filter((setting) => topLevelOf(setting) === name));
    return [`## ${title}\n`, ...entries.map(entry), ...(more === undefined ? [] : [`\n${more}`])].join('\n');
  });
  return withGenerated(page, `${sections.join('\n\n')}\n`);
}

const topLevelOf = ({ path }: Pick<DescribedSetting, 'path'>): string => path.replace(/[.[].*$/, '');

function entry(setting: DescribedSetting): string {
  const { path, description, kinds } = setting;
  if (description === undefined) throw new Error(`The setting ${path} has no description in its schema.`);
  const only = kinds.length > 0 ? ` For the kind ${kinds.map((kind) => `\`${kind}\``).join(', ')}.` : '';
  return wrap(`- \`${path}\`: ${description}.${only}${presence(setting)}`, '  ');
}

/** Returns the default of a setting, or that it is required. */
function presence({ path, byDefault, isRequired }: DescribedSetting): string {
  if (byDefault !== undefined) return ` Default: \`${JSON.stringify(byDefault)}\`.`;
  const group = topLevelOf({ path });
  if (!isRequired) return '';
  return ALWAYS_REQUIRED.has(group) ? ' **Required.**' : ` Required in \`${path.replace(/\.[^.]+$/, '')}\`.`;
}
