/** The management API's routes, by the names that code and documents use. */
export const ROUTES = {
  getContact: 'GET /v1/contacts/{platformContactId+}',
  eraseContact: 'DELETE /v1/contacts/{platformContactId+}',
  getConversation: 'GET /v1/conversations/{platformContactId+}',
  getMessage: 'GET /v1/messages/{messageId+}',
  enqueueSend: 'POST /v1/sends',
  getSend: 'GET /v1/sends/{requestId+}',
  listUncertainSends: 'GET /v1/uncertain-sends',
  settleSend: 'POST /v1/settlements',
  cancelSend: 'POST /v1/cancellations',
  optIn: 'POST /v1/opt-ins',
  optOut: 'POST /v1/opt-outs',
  checkContacts: 'POST /v1/contact-checks',
  getErasure: 'GET /v1/erasures/{erasureId}',
  getStage: 'GET /v1/stage',
} as const;

export type RouteName = keyof typeof ROUTES;
