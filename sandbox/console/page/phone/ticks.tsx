/** One tick: the service took it. Two: it is on the user's device. Two coloured ones: the user read it. */
export const Ticks = ({ status }: { status: 'accepted' | 'delivered' | 'read' }) => (
  <svg class={`ticks ${status}`} viewBox="0 0 20 12" role="img" aria-label={NAMES[status]}>
    <path d="M1.500 6.500 5 10l6.500-8" />
    {status !== 'accepted' && <path d="m8 9 1 1 6.500-8" />}
  </svg>
);

const NAMES = { accepted: 'Sent', delivered: 'Delivered', read: 'Read' };
