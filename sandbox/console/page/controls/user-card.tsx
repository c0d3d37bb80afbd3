import { Button } from '../components/button.tsx';
import { formatDateTime } from '../components/time.ts';
import type { ContactStatus } from '../state/api.ts';
import { useConsole, useSelectedUser } from '../state/console-state.ts';
import { changeHandover, useContactStatus } from '../state/contact-status.ts';
import { Card } from './card.tsx';
import { ConsentText } from './consent-text.tsx';
import { WindowCard } from './window-card.tsx';

/** The selected user: the conversation window, and what Parley has recorded. */
export const UserCard = () => {
  const user = useSelectedUser();
  const hasInspector = useConsole((state) => state.hasInspector);
  if (user === undefined) return null;
  return (
    <Card title="User" note={user.name || user.contact} open>
      <WindowCard />
      {hasInspector && <Records contact={user.contact} />}
    </Card>
  );
};

const Records = ({ contact }: { contact: string }) => {
  const features = useConsole((state) => state.features);
  const { consent = { state: 'none' }, handover } = useContactStatus() ?? {};
  const isByPeople = handover?.state === 'people';
  return (
    <dl class="records">
      <dt>Consent</dt>
      <dd>
        <ConsentText {...consent} />
      </dd>
      {features?.handovers && (
        <>
          <dt>Handover</dt>
          <dd>
            <p>
              <strong>{isByPeople ? 'People answer' : 'Automated systems answer'}</strong>
              {describe(handover)}
            </p>
            <Button onClick={() => changeHandover(contact, isByPeople ? 'automated' : 'people')}>
              {isByPeople ? 'Hand back' : 'Hand over to people'}
            </Button>
          </dd>
        </>
      )}
    </dl>
  );
};

const describe = (handover: ContactStatus['handover']): string => {
  if (handover?.state !== 'people') return '';
  const { since = '', until } = handover;
  const end = until === undefined ? 'until the user is handed back' : `until ${formatDateTime(Date.parse(until))}`;
  return ` since ${formatDateTime(Date.parse(since))}, ${end}. Automated requests are refused.`;
};
