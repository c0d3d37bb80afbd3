/**
 * What each setting is and may be, to end the sentence "give …".
 *
 * It stands apart from the schema because part of that belongs to the functions, which bundle no sentences for synth. A
 * test keeps the two equal.
 */
export const SETTINGS_GUIDE: Readonly<Record<string, string>> = {
  production: 'true to protect the data from deletion, else false (the default)',
  chatService: 'an object with baseUrl and, if need be, numberFormat, clientPayload and contactCheckPath',
  'chatService.baseUrl':
    "the chat service's base address: https (or http on 127.0.0.1 or localhost), without a trailing slash, such as " +
    '"https://chat-service.example"',
  'chatService.numberFormat':
    '"verbatim" to write phone numbers in calls as they came (the default), "plus" for always with the plus, or "digits"',
  'chatService.clientPayload':
    '"intent" for the request\'s id as clientPayload in intent/v2 (the default), "all" for message/v3 too, or "off"',
  'chatService.contactCheckPath':
    'the contact check\'s address behind /api/v1.0/, such as "customer/checkChatContact" (the default)',
  chatPlatform: 'the name of the chat platform as the service writes it: up to 64 letters, digits, dots, _ and -',
  chatChannelNumber: 'the business\'s own number: + and 6 to 15 digits, such as "+5491100000000"',
  webhook: 'an object with auth',
  'webhook.auth': "an object with kind and that kind's settings: how the webhook's posts are verified",
  'webhook.auth.kind':
    '"pubsub-jwt", "standard-webhooks", "shared-token", "sns" or, with allowInsecureWebhook, "insecure-none"',
  'webhook.auth.audience': "the audience that the carrier's tokens are made out to: a text that is not empty",
  'webhook.auth.serviceAccountEmail': "the e-mail address of the service account that signs the carrier's tokens",
  'webhook.auth.issuers': "a list of at least one issuer of the carrier's tokens (default: Google's two spellings)",
  'webhook.auth.jwksUrl': "the address of the keys that the carrier's tokens are signed with (default: Google's)",
  'webhook.auth.toleranceSeconds':
    "how many seconds a post's timestamp may be from our clock: a whole number from 1 to 3600 (default 300)",
  'webhook.auth.header': 'the name of the header that holds the token: up to 64 letters, digits and -',
  'webhook.auth.topicArn':
    'the ARN of the SNS topic that delivers the events, such as "arn:aws:sns:eu-west-1:111122223333:chat-events"',
  allowInsecureWebhook:
    'true if webhook.auth may be "insecure-none", under which anybody can post events, else false (the default)',
  window: 'an object with per and marginSeconds',
  'window.per':
    '"user" to keep conversation windows for each user (the default), or "channel" for each of your numbers',
  'window.marginSeconds':
    'how many seconds before its 24 hours end a window counts as closed: a whole number from 0 to 3600 (default 60)',
  contactCheck:
    '"beforeFirstTemplate" to check a number on the platform before a template opens a conversation, or "off" (the default)',
  defaultTemplate: 'an object with ruleNameOrId and, if it has variables, params; leave it out to have none',
  'defaultTemplate.ruleNameOrId': 'the name or id of an approved template: a text that is not empty',
  'defaultTemplate.params': "the values of the template's variables: an object of texts",
  events: 'an object with content and targets, both of which can be left out',
  'events.content': 'true for events that carry what was written (the default), else false',
  'events.targets':
    'a list of up to 50 objects with kind "sqs" and the queueArn of a standard queue, or kind "https" and a url (and header ' +
    'unless x-api-key), each with a list of events unless it gets all; see docs/events.md',
  retentionDays:
    'the days until messages and sends are removed: a whole number from 15 to 3650 (default 400); not less, because the ' +
    'record that a request was sent must outlive the 14 days for which its queue may deliver it again',
  customerManagedKey: "true to encrypt the table with a key of this account's own, else false (the default)",
  alarmTopicArn:
    'the ARN of an SNS topic, such as "arn:aws:sns:eu-west-1:111122223333:alarms"; leave it out to have none',
};
