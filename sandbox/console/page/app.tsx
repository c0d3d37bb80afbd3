import { useState } from 'preact/hooks';
import { Controls } from './controls/controls.tsx';
import { Flow } from './flow/flow.tsx';
import { Header } from './header.tsx';
import { Notice } from './notice.tsx';
import { Phone } from './phone/phone.tsx';
import { UserList } from './phone/user-list.tsx';

const ROOMS = ['Phone', 'Flow', 'Controls'] as const;
type Room = (typeof ROOMS)[number];

/** Three rooms side by side; on a narrow screen one at a time. */
export const App = () => {
  const [room, setRoom] = useState<Room>('Phone');
  return (
    <div class={`app shows-${room.toLowerCase()}`}>
      <Header />
      <nav class="rooms" aria-label="Parts of the console">
        {ROOMS.map((name) => (
          <button type="button" key={name} aria-pressed={room === name} onClick={() => setRoom(name)}>
            {name}
          </button>
        ))}
      </nav>
      <main>
        <section class="room phone-room" aria-label="Phone">
          <UserList />
          <Phone />
        </section>
        <section class="room flow-room" aria-label="Flow">
          <Flow />
        </section>
        <section class="room controls-room" aria-label="Controls">
          <Controls />
        </section>
      </main>
      <Notice />
    </div>
  );
};
