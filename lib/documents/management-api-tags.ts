import type { RouteName } from '../../lambdas/manage/api/route-name.ts';

/** The routes by what they are about. */
export const TAGS = {
  Contacts: [
    'getContact',
    'listContacts',
    'eraseContact',
    'eraseCustomer',
    'getErasure',
    'checkContacts',
    'optIn',
    'optOut',
    'handOver',
    'handBack',
    'separateCustomer',
    'reverseSeparation',
  ],
  Messages: ['getConversation', 'listConversation', 'getMessage', 'importEvents'],
  Sends: [
    ...(['enqueueSend', 'enqueueSendById', 'getSend', 'listSends', 'countSends', 'forecastSends'] as const),
    ...(['cancelSend', 'cancelSendById', 'listUncertainSends', 'resolveSend', 'requeueSend'] as const),
  ],
  'Dead letters': ['listDeadLetters', 'getDeadLetter', 'deleteDeadLetter', 'redriveDeadLetters'],
  'The stage': ['getStage', 'listChannels', 'listGaps', 'stopSending', 'resumeSending', 'closeCircuitBreaker'],
  'The audit trail': ['listAudit', 'recordAudit'],
} as const satisfies Readonly<Record<string, readonly RouteName[]>>;
