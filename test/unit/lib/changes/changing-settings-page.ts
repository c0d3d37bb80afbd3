import { wrap } from '../../../../lib/documents/markdown.ts';
import { CHANGE_NOTES, type ChangeNote } from './change-notes.ts';
import type { Walk } from './stage-walks.ts';

const code = (text: string): string => `\`${text}\``;

/** Returns docs/changing-settings.md. */
export function changingSettingsPage(walks: readonly Walk[]): string {
  const noted = new Set(CHANGE_NOTES.flatMap(({ of }) => of));
  const others = walks.filter(({ of }) => !noted.has(of));
  const isRetried = ({ transitions }: Walk) => transitions.some(({ effects }) => effects.length > 0);
  return [
    '# Changing settings',
    '',
    wrap(
      'This page says what happens to a live stage if you change a setting, or a property of the stack, and deploy. A ' +
        'test changes each setting back and forth, and derives from the templates what CloudFormation would create, ' +
        'replace, and delete. `npm run changes` generates this page.',
    ),
    '',
    wrap(
      'Requests and events that are queued stay queued. What the webhook refuses during a change is redelivered, unless ' +
        'the chat service posts each event only once. [Pins](delivery.md#pins) make synth refuse a change that would ' +
        'remove or replace what holds data. In a stage without `production`, what this page calls kept is deleted.',
    ),
    '',
    '## Changes that need a step',
    '',
    ...CHANGE_NOTES.map(entryOf),
    '',
    '## Changes after which calls are retried',
    '',
    wrap(
      `While you change ${listOf(others.filter(isRetried))}, the schedules of \`manage\` may fail for a moment, because ` +
        'their permissions change first. They are retried.',
    ),
    '',
    '## Changes that interrupt nothing',
    '',
    wrap(`${listOf(others.filter((one) => !isRetried(one)))}.`),
    '',
    wrap(
      "New values of `retentionDays` apply to what is stored from then on. Without `production`, the stage's data is no " +
        'longer protected: a later change or deletion of the stack can delete it.',
    ),
    '',
    '## Deleting a stage',
    '',
    wrap(
      'A production stage is protected from deletion; [Delivery](delivery.md#if-the-first-deployment-fails) shows how to ' +
        "lift the protection. Delete the rules of other systems on the stage's event bus first: EventBridge " +
        '[deletes no bus with rules][delete-bus], so the stack would stay in the state `DELETE_FAILED` until you delete ' +
        'them and try again. AWS keeps the table, the queues, the key, the access token, the webhook secret, and the ' +
        'logs, and deletes everything else, including the schedules and the keys of `https` targets.',
    ),
    '',
    wrap(
      'You can deploy a stage with the same name again. It creates a new table, new queues, and new secrets. To use the ' +
        'earlier table, pass it to the stack as [an existing one](existing-resources.md#a-table). Requests that were ' +
        'scheduled are still in it, but their schedules are gone: queue each with `parley sends requeue <request-id>`. If you ' +
        'queue a request yourself and its body differs, it is refused with `REQUEST_ID_REUSED`.',
    ),
    '',
    '[delete-bus]: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_DeleteEventBus.html',
    '',
  ].join('\n');
}

const listOf = (walks: readonly Walk[]): string => walks.map(({ of }) => code(of)).join(', ');

function entryOf({ of, change, happens, before, after }: ChangeNote): string {
  const steps = [before && `**Before:** ${before}`, after && `**After:** ${after}`].filter((one) => one !== undefined);
  const title = `- ${of.map(code).join(', ')}${change === undefined ? '' : `, ${change}`}`;
  return wrap([`${title}: ${happens}`, ...steps].join(' '), '  ');
}
