import { describe, expect, it } from 'vitest';
import { stateShard, stateShards } from '../../../../lambdas/table/indexes.ts';
import { contactName, idOf, messageKey, parseContactName, sendKey } from '../../../../lambdas/table/keys.ts';

const CONTACT = { platform: 'chat', channel: '*', key: '541155550000' };

describe('parseContactName', () => {
  it.each([
    CONTACT,
    { platform: 'a#b', channel: '%23', key: '#x#' },
    { platform: '%', channel: '+5491100000000', key: 'CO.1000' },
  ])('returns what contactName wrote: %j', (contact) => {
    expect(parseContactName(contactName(contact))).toEqual(contact);
  });

  it.each([undefined, 7, '', 'MESSAGE#a', 'CONTACT#chat'])('returns undefined for %j', (name) => {
    expect(parseContactName(name)).toBeUndefined();
  });
});

describe('idOf', () => {
  it.each(['message-1', 'a#b', '#', ''])('returns the id %j that a key was made of', (id) => {
    expect([idOf(messageKey(id).pk), idOf(sendKey(id).pk)]).toEqual([id, id]);
  });
});

describe('stateShard', () => {
  it('spreads the sends of a state over all of its shards', () => {
    const used = new Set(Array.from({ length: 1_000 }, (_, index) => stateShard('uncertain', `request-${index}`)));

    expect([...used].toSorted()).toEqual([...stateShards('uncertain')].toSorted());
  });
});
