export type Tone = 'success' | 'pending' | 'error' | 'neutral';

/** Returns the tone for the state of a send or the status of a rule, template or message. */
export const toneOf = (state: string): Tone => {
  switch (state) {
    case 'accepted':
    case 'approved':
    case 'sent':
    case 'delivered':
    case 'read':
    case 'answered':
      return 'success';
    case 'claimed':
    case 'waiting':
    case 'pending':
    case 'uncertain':
      return 'pending';
    case 'refused':
    case 'rejected':
    case 'expired':
    case 'failed':
    case 'error':
      return 'error';
    default:
      return 'neutral';
  }
};
