import { listAudit, recordAudit } from './audit.ts';
import { cancelSend, cancelSendById } from './cancel-send.ts';
import { closeCircuitBreaker } from './circuit-breaker-closures.ts';
import { optIn, optOut } from './consents.ts';
import { checkContacts } from './contact-checks.ts';
import { getContact } from './contacts.ts';
import { getConversation, getMessage, listConversation } from './conversations.ts';
import { listContacts } from './customers.ts';
import { deleteDeadLetter, getDeadLetter, listDeadLetters } from './dead-letters.ts';
import { eraseContact, eraseCustomer, getErasure } from './erasures.ts';
import { forecastSends } from './forecasts.ts';
import { handBack, handOver } from './handovers.ts';
import { importEvents } from './imports.ts';
import { redriveDeadLetters } from './redrives.ts';
import { requeueSend } from './requeue-send.ts';
import { resolveSend } from './resolve-send.ts';
import type { RouteName } from './route-name.ts';
import { countSends, listSends, listUncertainSends } from './send-lists.ts';
import { resumeSending, stopSending } from './sending-stops.ts';
import { enqueueSend, enqueueSendById, getSend } from './sends.ts';
import { reverseSeparation, separateCustomer } from './separations.ts';
import { getStage } from './stage.ts';
import { listChannels } from './watch/channels.ts';
import { listGaps } from './watch/gaps.ts';

/** The routes that use no queue, so that their calls need not load the client of SQS. */
export const TABLE_ROUTES = {
  getContact,
  listContacts,
  getConversation,
  listConversation,
  getMessage,
  getSend,
  listSends,
  countSends,
  listUncertainSends,
  cancelSend,
  cancelSendById,
  optIn,
  optOut,
  handOver,
  handBack,
  separateCustomer,
  reverseSeparation,
  checkContacts,
  forecastSends,
  getErasure,
  listDeadLetters,
  getDeadLetter,
  deleteDeadLetter,
  listAudit,
  recordAudit,
  getStage,
  listChannels,
  listGaps,
  stopSending,
  resumeSending,
  closeCircuitBreaker,
  importEvents,
} as const satisfies Partial<Record<RouteName, unknown>>;

/** The routes that put messages on queues, or take them from dead-letter queues. */
export const QUEUE_ROUTES = {
  eraseContact,
  eraseCustomer,
  enqueueSend,
  enqueueSendById,
  resolveSend,
  requeueSend,
  redriveDeadLetters,
} as const satisfies Partial<Record<RouteName, unknown>>;

/** The routes of the management API, by operation id. */
export const ROUTES = { ...TABLE_ROUTES, ...QUEUE_ROUTES } as const satisfies Record<RouteName, unknown>;
