import { createHash } from 'node:crypto';
import { type Attack, type AttackedKind, GENUINE, INJECTED, pubsubPush } from './attack.ts';

const HEADER = 'x-webhook-token';
const TOKEN = 'kT7rVw2qPz9mXc4bNf6h';
const SECOND_TOKEN = 'Zs3dGy8jLu5oRe1aWi0t';
const SECRET = `${TOKEN}\n${SECOND_TOKEN}\n`;

const WRONG = 'wrong token';
const NONE = 'no token';
const value = (name: string, reason: string, given: string | undefined): Attack => ({
  name,
  reason,
  request: () => ({ headers: { [HEADER]: given }, body: INJECTED }),
});
const headers = (name: string, given: Readonly<Record<string, string>>): Attack => ({
  name,
  reason: NONE,
  request: () => ({ headers: given, body: INJECTED }),
});
const digest = (encoding: 'hex' | 'base64') => createHash('sha256').update(TOKEN).digest(encoding);
const genuine = (given: string) => () => ({ headers: { [HEADER]: given }, body: GENUINE });

export const sharedTokenAttacks: AttackedKind = {
  auth: { kind: 'shared-token', header: 'X-Webhook-Token' },
  secret: SECRET,
  honest: [
    { name: 'the token', request: genuine(TOKEN) },
    { name: 'the second token', request: genuine(SECOND_TOKEN) },
  ],
  attacks: [
    value('no token', NONE, undefined),
    value('an empty token', NONE, ''),
    value('another token of the same length', WRONG, 'A'.repeat(TOKEN.length)),
    value('the token without its last character', WRONG, TOKEN.slice(0, -1)),
    value('the token without its first character', WRONG, TOKEN.slice(1)),
    value('the first character of the token', WRONG, TOKEN.slice(0, 1)),
    value('a character after the token', WRONG, `${TOKEN}x`),
    value('a character before the token', WRONG, `x${TOKEN}`),
    value('the token with another last character', WRONG, `${TOKEN.slice(0, -1)}x`),
    value('the token in upper case', WRONG, TOKEN.toUpperCase()),
    value('the token in lower case', WRONG, TOKEN.toLowerCase()),
    value('the token with case swapped in one character', WRONG, `K${TOKEN.slice(1)}`),
    value('the token twice', WRONG, TOKEN + TOKEN),
    value('the header twice', WRONG, `${TOKEN},${TOKEN}`),
    value('a wrong token, then the token', WRONG, `wrong, ${TOKEN}`),
    value('the token, then a wrong token', WRONG, `${TOKEN}, wrong`),
    value('the token among others, after spaces', WRONG, `a b ${TOKEN}`),
    value('the whole secret', WRONG, SECRET),
    value('two lines of the secret', WRONG, `${TOKEN}\n${SECOND_TOKEN}`),
    value('a space before the token', WRONG, ` ${TOKEN}`),
    value('a line break after the token', WRONG, `${TOKEN}\n`),
    value('a NUL after the token', WRONG, `${TOKEN}\0`),
    value('the token in quotes', WRONG, `"${TOKEN}"`),
    value('the token after Bearer, in a header of its own', WRONG, `Bearer ${TOKEN}`),
    value('the token, percent-encoded', WRONG, TOKEN.replace('k', '%6B')),
    value('the token in base64', WRONG, Buffer.from(TOKEN).toString('base64')),
    value('the digest of the token, in hexadecimal', WRONG, digest('hex')),
    value('the digest of the token, in base64', WRONG, digest('base64')),
    value('the token with a letter that looks the same', WRONG, TOKEN.replace('c', '\u0441')),
    value('a wildcard', WRONG, '*'),
    value('the word undefined', WRONG, 'undefined'),
    value('the word null', WRONG, 'null'),
    value('the word true', WRONG, 'true'),
    value('JSON', WRONG, `{"token":"${TOKEN}"}`),
    value('a token of 1 MB', WRONG, 'x'.repeat(1_048_576)),
    headers('the token in Authorization', { authorization: `Bearer ${TOKEN}` }),
    headers('the token in a cookie', { cookie: `${HEADER}=${TOKEN}` }),
    headers('the token in a header with a longer name', { [`${HEADER}-2`]: TOKEN }),
    headers('the token in a header with underscores', { [HEADER.replaceAll('-', '_')]: TOKEN }),
    headers('the token as the name of a header', { [TOKEN]: HEADER }),
    headers('the token in the header of another kind', { 'webhook-signature': `v1,${TOKEN}` }),
    {
      name: 'the token in the body',
      reason: NONE,
      request: () => ({ headers: {}, body: JSON.stringify({ ...JSON.parse(INJECTED), [HEADER]: TOKEN }) }),
    },
    {
      name: 'an unsigned Pub/Sub push',
      reason: NONE,
      request: () => ({ headers: { authorization: 'Bearer a.b.c' }, body: pubsubPush(INJECTED) }),
    },
    { name: 'a replay of the same request', outcome: 'nothing new', request: genuine(TOKEN) },
    {
      name: 'a Pub/Sub push beside the event, where bare events are expected',
      outcome: 'genuine only',
      request: () => ({
        headers: { [HEADER]: TOKEN },
        body: JSON.stringify({ ...JSON.parse(GENUINE), message: { data: Buffer.from(INJECTED).toString('base64') } }),
      }),
    },
  ],
};
