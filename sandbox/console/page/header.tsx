import { useClock } from './parts/use-clock.ts';
import { store } from './state/console-state.ts';
import { useStore } from './state/store.ts';

const CONNECTIONS = { connecting: 'Connecting', live: 'Live', lost: 'Connection lost; trying again' };

export const Header = () => {
  const connection = useStore(store, (state) => state.connection);
  const hasMachineRoom = useStore(store, (state) => state.hasMachineRoom);
  const [number] = useStore(store, (state) => state.chatChannelNumbers);
  const depths = useStore(store, (state) => state.depths);
  const now = useClock();
  return (
    <header class="top">
      <h1>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M4 6.500A2.500 2.500 0 0 1 6.500 4h11A2.500 2.500 0 0 1 20 6.500v7a2.500 2.500 0 0 1-2.500 2.500H11l-4.500 4v-4A2.500 2.500 0 0 1 4 13.500z" />
        </svg>
        Parley <span>console</span>
      </h1>
      <p class={`connection ${connection}`} role="status">
        {CONNECTIONS[connection]}
      </p>
      <p class="stands">{hasMachineRoom ? 'Sandbox and local stack' : 'Sandbox alone'}</p>
      <dl class="figures">
        <Figure name="Business number" value={number ?? '–'} />
        {depths !== undefined && <Figure name="Send queue" value={depths.send} />}
        {depths !== undefined && (
          <Figure name="Dead letters" value={depths.sendDeadLetters + depths.inboundDeadLetters} />
        )}
        <Figure name="Service time" value={new Date(now).toLocaleString('en-GB', CLOCK)} />
      </dl>
    </header>
  );
};

const CLOCK = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;

const Figure = ({ name, value }: { name: string; value: string | number }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);
