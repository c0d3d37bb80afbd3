import { Card } from '../parts/card.tsx';
import { Switch } from '../parts/switch.tsx';
import { notice, store } from '../state/console-state.ts';
import { ask, userPath } from '../state/service.ts';
import { useStore } from '../state/store.ts';

/** The chosen user's settings, which are the platform's and not the business's. */
export const UserCard = () => {
  const contact = useStore(store, (state) => state.user);
  const user = useStore(store, (state) => (contact === undefined ? undefined : state.users.byContact.get(contact)));
  if (user === undefined) return null;
  const change = async (settings: Readonly<Record<string, unknown>>) => {
    const asked = await ask('PATCH', userPath(user.contact), settings);
    if (!asked.ok) notice(asked.why, true);
  };
  return (
    <Card title="User" note={user.name ?? user.contact} open>
      <label class="field">
        Name
        <input
          value={user.name ?? ''}
          key={user.contact}
          onChange={({ currentTarget }) => void change({ name: currentTarget.value })}
        />
      </label>
      <Switch name="Device is on" isOn={user.device === 'on'} set={(on) => change({ device: on ? 'on' : 'off' })} />
      <Switch name="Sends read receipts" isOn={user.readReceipts} set={(on) => change({ readReceipts: on })} />
      <Switch name="Is on the platform" isOn={user.onPlatform} set={(on) => change({ onPlatform: on })} />
      <Switch name="Opted in" isOn={user.optIn} set={(on) => change({ optIn: on })} />
    </Card>
  );
};
