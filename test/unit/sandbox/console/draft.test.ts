import { beforeAll, describe, expect, it, vi } from 'vitest';

// The page's stores notify in animation frames.
beforeAll(() => void vi.stubGlobal('requestAnimationFrame', () => 0));

const loadDraft = () => import('../../../../sandbox/console/page/state/draft.ts');

const values = new Map([['name', 'Ana']]);

describe('the request in the form', () => {
  it('has only the fields that are filled in', async () => {
    const { contentOf, EMPTY_DRAFT } = await loadDraft();

    expect(contentOf({ ...EMPTY_DRAFT, text: 'Hi' }, { values: new Map(), since: '' })).toEqual({ messageText: 'Hi' });
  });

  it('has the template with its variables, and the fields of agents', async () => {
    const { contentOf, EMPTY_DRAFT } = await loadDraft();
    const filled = {
      ...EMPTY_DRAFT,
      text: ' ',
      template: 'parcel',
      reason: 'shipping-status',
      automated: true,
      unless: ['userWroteSince'] as const,
      notAfter: ' PT10M ',
    };

    expect(contentOf(filled, { values, since: 'message-1' })).toEqual({
      ruleNameOrId: 'parcel',
      params: { name: 'Ana' },
      reason: 'shipping-status',
      automated: true,
      unless: ['userWroteSince'],
      since: 'message-1',
      notAfter: 'PT10M',
    });
  });

  it('names a message only with a condition, and that of the selected user', async () => {
    const { contentOf, EMPTY_DRAFT, sinceOf } = await loadDraft();
    const since = { contact: 'a', value: 'message-of-a' };

    expect(contentOf({ ...EMPTY_DRAFT, text: 'Hi' }, { values: new Map(), since: 'm' })).not.toHaveProperty('since');
    expect(sinceOf({ since }, 'a', 'latest-of-a')).toBe('message-of-a');
    expect(sinceOf({ since }, 'b', 'latest-of-b')).toBe('latest-of-b');
  });
});
