import type { Effect } from './stack-update.ts';

/** What an operator has to know about a change of settings. */
export interface ChangeNote {
  /** Settings, or properties of the stack. */
  readonly of: readonly string[];
  /** Which change, if not every one. */
  readonly change?: string;
  readonly happens: string;
  readonly before?: string;
  readonly after?: string;
  /** The effects in the templates that it is about. A test compares them. */
  readonly explains: readonly Effect['kind'][];
}

const REMOVED_QUEUE = 'Nothing reads the queue anymore.';

export const CHANGE_NOTES: readonly ChangeNote[] = [
  {
    of: ['webhook.auth.kind'],
    happens:
      'Only requests of the new kind are accepted; all others get 401. A kind with a secret gets a new, random one, even ' +
      'if the stage had one before. A kind without a secret leaves the earlier one in place, unused.',
    before: 'with buffered ingress, wait until the inbound queue is empty.',
    after:
      'take the secret from the output `WebhookSecretId`, or add your own with `parley webhook-secret add`, and ' +
      'reconfigure the chat service. It redelivers what was refused meanwhile.',
    explains: ['left behind', 'secret generated', 'address changed'],
  },
  {
    of: [
      'webhook.auth.audience',
      'webhook.auth.serviceAccountEmail',
      'webhook.auth.jwksUrl',
      'webhook.auth.envelope',
      'webhook.auth.header',
      'webhook.auth.topicArn',
    ],
    happens: 'Requests as they were before the change are refused or quarantined.',
    before: 'with buffered ingress, wait until the inbound queue is empty.',
    after: 'reconfigure the chat service or the publish/subscribe system right away.',
    explains: [],
  },
  {
    of: ['webhook.ingress'],
    happens: 'The webhook gets another URL, and the earlier one is removed, unless the stage has a domain name.',
    before: 'add a domain name, as [Buffered ingress](receiving.md#buffered-ingress) describes.',
    after: 'without a domain name, configure the output `WebhookUrl` in the chat service.',
    explains: ['address changed'],
  },
  {
    of: ['window.per'],
    happens:
      'Contacts are stored under other keys, so earlier windows, opt-ins, **opt-outs**, and handovers no longer apply. ' +
      'They apply again if you undo the change. A [pin](delivery.md#pins) keeps the setting from being changed by mistake.',
    before: 'list the users who opted out, such as from your records of the event `ContactOptedOut`.',
    after: 'record the opt-outs and opt-ins again through the [management API](management-api.md).',
    explains: [],
  },
  {
    of: ['chatPlatform'],
    happens:
      'Events and requests that name no platform belong to other contacts than before, as with `window.per`. Those that ' +
      'name one are not affected.',
    after: 'record the opt-outs and opt-ins again through the [management API](management-api.md).',
    explains: [],
  },
  {
    of: ['sends.bulkLane'],
    change: 'removed',
    happens: `${REMOVED_QUEUE} If you add the setting again, the bulk queue has another URL.`,
    before: 'follow the steps to [remove the bulk queue](sending.md#bulk-requests).',
    explains: ['left behind', 'not consumed', 'address changed'],
  },
  {
    of: ['turns'],
    change: 'removed',
    happens:
      'Open turns are not published as `TurnEnded`; each of their messages was published as `MessageReceived`. If you ' +
      "add the setting again, an open turn continues with the user's next message.",
    explains: ['left behind', 'not consumed', 'address changed'],
  },
  {
    of: ['events.targets', 'events.targets[].kind', 'events.targets[].url'],
    change: 'another URL, or one removed',
    happens:
      'The key of the earlier URL is deleted, and a new URL gets a new key, even if the stage had the same URL before. ' +
      'The order of the list does not matter.',
    after:
      'configure the new key in the receiving system. An event that it refuses meanwhile is retried or becomes a dead ' +
      'letter, which you can redrive.',
    explains: ['deleted', 'secret generated'],
  },
  {
    of: ['events.targets'],
    change: 'the last target removed',
    happens: 'The dead-letter queue of the targets stays, but `parley` no longer finds it.',
    before: 'redrive or delete what `parley doctor` reports in it.',
    explains: ['left behind', 'address changed'],
  },
  {
    of: ['customerManagedKey'],
    change: 'removed',
    happens:
      'Messages in queues, schedules, and logs stay encrypted with the earlier key, which the functions may no longer ' +
      'use. The key is kept. If you add the setting again, the stage gets another key.',
    before: 'empty the queues and wait for scheduled sends, as for [another key](existing-resources.md#a-key).',
    explains: ['left behind', 'key lost', 'address changed'],
  },
  {
    of: ['encryptionKey'],
    change: 'another key, or none',
    happens: "As for `customerManagedKey`. The new key's policy must be complete before you deploy.",
    before: 'see [A key](existing-resources.md#a-key).',
    explains: ['left behind', 'key lost', 'address changed'],
  },
  {
    of: ['table'],
    happens:
      'The stage starts with what is in the other table: usually no windows, consents, sends, or scheduled requests. ' +
      'Changes that are not yet published are published from the new table only.',
    before: 'stop sending, and wait until nothing is queued or scheduled; then copy the items.',
    explains: ['left behind', 'not consumed', 'address changed'],
  },
  {
    of: ['eventBus'],
    change: "an existing bus instead of the stage's own",
    happens:
      "The stage's own bus is deleted. EventBridge [deletes no bus with rules][delete-bus]; CloudFormation then " +
      'leaves it behind, and a later change back fails, because a bus with its name exists.',
    before: 'create the rules of your consumers on the new bus, and delete those on the earlier one.',
    explains: ['deleted', 'address changed'],
  },
  {
    of: ['domainMapping'],
    happens: 'The webhook gets another URL, and the earlier one no longer answers.',
    after:
      'configure the output `WebhookUrl` in the chat service right away; it redelivers what was refused meanwhile.',
    explains: ['address changed'],
  },
];
