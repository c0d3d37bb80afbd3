import { Card } from '../parts/card.tsx';
import { Switch } from '../parts/switch.tsx';
import { notice, store } from '../state/console-state.ts';
import { ask } from '../state/service.ts';
import { useStore } from '../state/store.ts';

const CREDITS = [0, 1, 100, 10_000];

/** The account's credit, of which each accepted message spends one, and its approval. */
export const AccountCard = () => {
  const account = useStore(store, (state) => state.account);
  if (account === undefined) return null;
  const { credit, approved, optInRequired } = account;
  return (
    <Card title="Account" note={`credit ${inEnglish(credit)}${approved ? '' : ', sandbox mode'}`}>
      <fieldset class="row wrap">
        <legend class="field">Credit</legend>
        {CREDITS.map((amount) => (
          <button type="button" key={amount} aria-pressed={credit === amount} onClick={() => void setCredit(amount)}>
            {inEnglish(amount)}
          </button>
        ))}
      </fieldset>
      <Switch name="Is approved" isOn={approved} set={(on) => change({ approved: on })} />
      <Switch name="Insists on opt-in" isOn={optInRequired} set={(on) => change({ optInRequired: on })} />
    </Card>
  );
};

const setCredit = async (credit: number): Promise<void> => {
  if (await change({ credit })) notice(`The account has credit for ${inEnglish(credit)} messages.`);
};

const change = async (settings: Readonly<Record<string, unknown>>): Promise<boolean> => {
  const asked = await ask('PATCH', '/sandbox/account', settings);
  if (!asked.ok) notice(asked.why, true);
  return asked.ok;
};

const inEnglish = (amount: number): string => amount.toLocaleString('en-GB');
