import type { ComponentChildren } from 'preact';

export type Tone = 'good' | 'wait' | 'bad' | 'plain';

export const Badge = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
);

/** How a send's state, a rule's status or a message's status is coloured. */
export const toneOf = (state: string): Tone => {
  switch (state) {
    case 'accepted':
    case 'approved':
    case 'delivered':
    case 'read':
      return 'good';
    case 'claimed':
    case 'waiting':
    case 'pending':
    case 'uncertain':
      return 'wait';
    case 'refused':
    case 'rejected':
    case 'expired':
      return 'bad';
    default:
      return 'plain';
  }
};
