/** What a case needs before its call, through the sandbox's control API. */
export interface ControlCall {
  readonly method: 'POST' | 'PATCH' | 'PUT';
  readonly path: string;
  readonly body: unknown;
}

/** A call of the independent client, with the result that its own tests or its documentation lead a user to expect. */
export interface ClientCase {
  readonly name: string;
  readonly before?: readonly ControlCall[];
  /** A method of the client, such as `messages.create`. */
  readonly method: string;
  readonly args: readonly unknown[];
  /** @default none */
  readonly named?: Readonly<Record<string, unknown>>;
  /** @default the token that the sandbox accepts */
  readonly token?: string;
  /** The parts that the result must have. A regular expression matches a string. */
  readonly expected: unknown;
}

export const TOKEN = 'token-of-the-client';
export const PLATFORM = 'whatsapp';
export const CHANNEL = '+5491100000000';

const UNKNOWN_CHANNEL = '+54 911 9999-9999';
/** As people write it: the client passes it on to the contact check, and removes the separators otherwise. */
const USER = '+54 9 11 5555-0001';
const STRANGER = '+54 9 11 5555-0002';
const DIGITS = '5491155550001';
const ID = /^[A-Z0-9]{20}$/;

const userWrites: ControlCall = {
  method: 'POST',
  path: `/users/${encodeURIComponent(USER)}/messages`,
  body: { text: 'Hola' },
};
const aDayPasses: ControlCall = { method: 'POST', path: '/clock', body: { advanceSeconds: 25 * 60 * 60 } };
const setCredit = (credit: number): ControlCall => ({ method: 'PATCH', path: '/account', body: { credit } });
const approveTemplate: ControlCall = {
  method: 'PUT',
  path: '/rules/order_shipped',
  body: { text: 'Order ${order} is on its way.', status: 'approved', category: 'shipping-status' },
};

/** The client raises the status; the body has the service's own code. */
const httpError = (status: number, code: number) => ({
  error: 'HTTPError',
  status,
  body: new RegExp(`^{"error":{"code":${code},`),
});
const WINDOW_CLOSED = httpError(403, 201);
const NO_CREDIT = httpError(403, 101);
const INVALID_AUTH = { error: 'InvalidAuth' };
const INVALID_NUMBER = { error: 'InvalidPhoneNumber' };
const INVALID_CHANNEL = {
  error: 'BotmakerException',
  message: 'Invalid channel. Valid channels are [5491100000000]',
};
const sent = { result: { id: ID, from_: '5491100000000', to: DIGITS } };

const CREDENTIALS = ['/auth/credentials'];
const CHECK = ['/customer/checkWhatsAppContact', { chatChannelNumber: '5491100000000', contacts: [USER, '123'] }];
const CHECKED = { result: { problems: null, result: { [USER]: DIGITS } } };
const MESSAGE = [CHANNEL, USER, 'Your table is ready.'];
const TEMPLATE = [CHANNEL, USER, 'order_shipped'];
const PARAMS = { order: '1042' };

/** Every method of the client, in the states that the contract has. Each case continues where the previous one ended. */
export const CLIENT_CASES: readonly ClientCase[] = [
  {
    name: 'the credentials',
    method: 'get',
    args: CREDENTIALS,
    expected: { result: { accessToken: TOKEN, clientId: /./, secretId: /./, refreshToken: /./ } },
  },
  { name: 'the credentials, wrong token', method: 'get', args: CREDENTIALS, token: 'wrong', expected: INVALID_AUTH },
  { name: 'an unknown path', method: 'get', args: ['/xxx'], expected: { error: 'HTTPError', status: 404, body: '' } },
  { name: 'a contact check by path', method: 'post', args: CHECK, expected: CHECKED },
  { name: 'a contact check by method and path', method: 'request', args: ['post', ...CHECK], expected: CHECKED },
  {
    name: 'a contact',
    method: 'check_whatsapp_contact',
    args: [CHANNEL, USER],
    expected: { result: DIGITS },
  },
  {
    name: 'a contact that is not on the platform',
    method: 'check_whatsapp_contact',
    args: [CHANNEL, '123'],
    expected: { result: null },
  },
  {
    name: 'contacts',
    method: 'check_whatsapp_contacts',
    args: [CHANNEL, [USER, '123']],
    expected: { result: { [USER]: DIGITS } },
  },
  {
    name: 'contacts, invalid channel',
    method: 'check_whatsapp_contacts',
    args: [UNKNOWN_CHANNEL, [USER]],
    expected: INVALID_CHANNEL,
  },
  {
    name: 'contacts, wrong token',
    method: 'check_whatsapp_contacts',
    args: [CHANNEL, [USER]],
    token: 'wrong',
    expected: INVALID_AUTH,
  },
  {
    name: 'a message to a user who never wrote',
    method: 'messages.create',
    args: [CHANNEL, STRANGER, 'Hi'],
    expected: WINDOW_CLOSED,
  },
  { name: 'a message in the window', before: [userWrites], method: 'messages.create', args: MESSAGE, expected: sent },
  {
    name: 'a message in the window, contact checked',
    method: 'messages.create',
    args: MESSAGE,
    named: { check_phone: true },
    expected: sent,
  },
  {
    name: 'a message in the window, platform in capitals',
    method: 'messages.create',
    args: MESSAGE,
    named: { chat_platform: 'WHATSAPP' },
    expected: sent,
  },
  {
    name: 'a message, contact not on the platform',
    method: 'messages.create',
    args: [CHANNEL, '123', 'Hi'],
    named: { check_phone: true },
    expected: INVALID_NUMBER,
  },
  {
    name: 'a message, invalid channel',
    method: 'messages.create',
    args: [UNKNOWN_CHANNEL, USER, 'Hi'],
    expected: httpError(422, 304),
  },
  {
    name: 'a message, invalid channel, contact checked',
    method: 'messages.create',
    args: [UNKNOWN_CHANNEL, USER, 'Hi'],
    named: { check_phone: true },
    expected: INVALID_CHANNEL,
  },
  { name: 'a message, wrong token', method: 'messages.create', args: MESSAGE, token: 'wrong', expected: INVALID_AUTH },
  {
    name: 'a message, no credit',
    before: [setCredit(0)],
    method: 'messages.create',
    args: MESSAGE,
    expected: NO_CREDIT,
  },
  {
    name: 'an unknown template',
    before: [setCredit(100)],
    method: 'template_messages.create',
    args: TEMPLATE,
    expected: httpError(422, 601),
  },
  {
    name: 'a template in the window',
    before: [approveTemplate],
    method: 'template_messages.create',
    args: TEMPLATE,
    named: PARAMS,
    expected: sent,
  },
  {
    name: 'a message after 25 hours',
    before: [aDayPasses],
    method: 'messages.create',
    args: MESSAGE,
    expected: WINDOW_CLOSED,
  },
  {
    name: 'a template after 25 hours',
    method: 'template_messages.create',
    args: TEMPLATE,
    named: PARAMS,
    expected: sent,
  },
  {
    name: 'a template without its variable',
    method: 'template_messages.create',
    args: TEMPLATE,
    expected: httpError(400, 603),
  },
  {
    name: 'a template, contact not on the platform',
    method: 'template_messages.create',
    args: [CHANNEL, '123', 'order_shipped'],
    named: PARAMS,
    expected: INVALID_NUMBER,
  },
  {
    name: 'a template, invalid channel',
    method: 'template_messages.create',
    args: [UNKNOWN_CHANNEL, USER, 'order_shipped'],
    named: PARAMS,
    expected: INVALID_CHANNEL,
  },
  {
    name: 'a template, wrong token',
    method: 'template_messages.create',
    args: TEMPLATE,
    named: PARAMS,
    token: 'wrong',
    expected: INVALID_AUTH,
  },
  {
    name: 'a template, no credit',
    before: [setCredit(0)],
    method: 'template_messages.create',
    args: TEMPLATE,
    named: PARAMS,
    expected: NO_CREDIT,
  },
];
