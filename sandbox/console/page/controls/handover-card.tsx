import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { TextField } from '../components/fields.tsx';
import { formatDateTime } from '../components/time.ts';
import type { ContactStatus } from '../state/api.ts';
import { showError, store, useConsole } from '../state/console-state.ts';
import { changeHandover, useContactStatus } from '../state/contact-status.ts';
import { selectUnlessMoved } from '../state/navigate.ts';
import { writeAsOperator } from '../state/write-as-operator.ts';
import { Card, Form } from './card.tsx';

/** Who answers the selected user, and what operators do about it. */
export const HandoverCard = () => {
  const contact = useConsole((state) => state.route.user);
  const features = useConsole((state) => state.features);
  const handover = useContactStatus()?.handover;
  if (contact === undefined || !features?.handovers) return null;
  const isByPeople = handover?.state === 'people';
  return (
    <Card title="Handover" note={isByPeople ? 'People answer' : 'Automated systems answer'} open>
      <p class="hint">{describe(handover)}</p>
      {isByPeople ? (
        <Button onClick={() => changeHandover(contact, 'automated')}>Hand back</Button>
      ) : (
        <Button onClick={() => changeHandover(contact, 'people')}>Hand over to people</Button>
      )}
      {features.operatorField !== undefined && <OperatorMessage key={contact} contact={contact} />}
    </Card>
  );
};

const describe = (handover: ContactStatus['handover']): string => {
  if (handover?.state !== 'people') return 'Automated requests are sent.';
  const { since = '', until } = handover;
  const end = until === undefined ? 'until the user is handed back' : `until ${formatDateTime(Date.parse(until))}`;
  return `Since ${formatDateTime(Date.parse(since))}, ${end}. Automated requests are refused.`;
};

const OperatorMessage = ({ contact }: { contact: string }) => {
  const [text, setText] = useState('');
  const write = async () => {
    const { route } = store.get();
    const written = await writeAsOperator(contact, text);
    if (!written.ok) return showError(written.error);
    setText('');
    selectUnlessMoved(route, { kind: 'message', id: written.value });
  };
  return (
    <Form onSubmit={write}>
      <TextField label="Message from an operator" value={text} onText={setText} />
      <Button disabledReason={text.trim() === '' ? 'Enter a message first.' : undefined}>Write as operator</Button>
    </Form>
  );
};
