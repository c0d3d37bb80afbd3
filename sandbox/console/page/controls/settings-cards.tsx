import { Button } from '../components/button.tsx';
import { changeAccount, setCredit } from '../state/account.ts';
import { callApi, userPath } from '../state/api.ts';
import { showError, useConsole, useSelectedUser } from '../state/console-state.ts';
import { Card, Switch } from './card.tsx';

/** The selected user's settings on the chat platform. */
export const PhoneCard = () => {
  const user = useSelectedUser();
  if (user === undefined) return null;
  const change = (settings: Settings) => patch(userPath(user.contact), settings);
  return (
    <Card title="Phone" note={user.contact} open>
      <label class="field">
        Name
        <input
          value={user.name ?? ''}
          key={user.contact}
          onChange={({ currentTarget }) => void change({ name: currentTarget.value })}
        />
      </label>
      <label class="field">
        Customer ID
        <input
          value={user.customerId}
          key={`${user.contact} ${user.customerId}`}
          onChange={({ currentTarget }) => void change({ customerId: currentTarget.value })}
        />
      </label>
      <Switch
        label="Device on"
        isOn={user.device === 'on'}
        onChange={(isOn) => change({ device: isOn ? 'on' : 'off' })}
      />
      <Switch label="Read receipts" isOn={user.readReceipts} onChange={(readReceipts) => change({ readReceipts })} />
      <Switch label="On the chat platform" isOn={user.onPlatform} onChange={(onPlatform) => change({ onPlatform })} />
      <Switch label="Opted in" isOn={user.optIn} onChange={(optIn) => change({ optIn })} />
    </Card>
  );
};

const CREDITS = [0, 1, 100, 10_000];

/** The business account. Each accepted message costs one credit. */
export const AccountCard = () => {
  const account = useConsole((state) => state.account);
  if (account === undefined) return null;
  const { credit, approved, optInRequired } = account;
  return (
    <Card title="Account" note={`Credit: ${formatNumber(credit)}${approved ? '' : ', sandbox mode'}`}>
      <fieldset class="row wrap">
        <legend class="field">Set credit to</legend>
        {CREDITS.map((amount) => (
          <Button key={amount} isPressed={credit === amount} onClick={() => setCredit(amount)}>
            {formatNumber(amount)}
          </Button>
        ))}
      </fieldset>
      <p class="hint">Each accepted message costs one credit.</p>
      <Switch label="Approved for live mode" isOn={approved} onChange={(isOn) => changeAccount({ approved: isOn })} />
      <Switch
        label="Users must opt in"
        isOn={optInRequired}
        onChange={(isOn) => changeAccount({ optInRequired: isOn })}
      />
    </Card>
  );
};

type Settings = Readonly<Record<string, unknown>>;

/** Returns whether the service accepted the change; shows the error otherwise. */
const patch = async (path: string, settings: Settings): Promise<boolean> => {
  const result = await callApi('PATCH', path, settings);
  if (!result.ok) showError(result.error);
  return result.ok;
};

const formatNumber = (amount: number): string => amount.toLocaleString('en-US');
