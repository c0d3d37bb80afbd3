import { formatDateTime, useServiceTime } from './components/time.ts';
import { useConsole } from './state/console-state.ts';

export const Header = () => {
  const [businessNumber = '–'] = useConsole((state) => state.chatChannelNumbers);
  const depths = useConsole((state) => state.queueDepths);
  const now = useServiceTime();
  return (
    <header class="header">
      <h1>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M4 6.500A2.500 2.500 0 0 1 6.500 4h11A2.500 2.500 0 0 1 20 6.500v7a2.500 2.500 0 0 1-2.500 2.500H11l-4.500 4v-4A2.500 2.500 0 0 1 4 13.500z" />
        </svg>
        Parley <span>console</span>
      </h1>
      <dl class="stats">
        <Stat name="Business number" value={businessNumber} />
        {depths !== undefined && <Stat name="Send queue" value={depths.send} />}
        {depths !== undefined && (
          <Stat name="Dead letters" value={depths.sendDeadLetters + depths.inboundDeadLetters} />
        )}
        <Stat name="Service time" value={formatDateTime(now)} />
      </dl>
    </header>
  );
};

const Stat = ({ name, value }: { name: string; value: string | number }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);
