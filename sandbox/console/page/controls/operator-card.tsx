import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { TextField } from '../components/fields.tsx';
import { showError, store, useConsole } from '../state/console-state.ts';
import { selectUnlessMoved } from '../state/navigate.ts';
import { writeAsOperator } from '../state/write-as-operator.ts';
import { Card, Form } from './card.tsx';

/** What an operator writes to the selected user in the chat service's console. */
export const OperatorCard = () => {
  const contact = useConsole((state) => state.route.user);
  const features = useConsole((state) => state.features);
  if (contact === undefined || features?.operatorField === undefined) return null;
  return (
    <Card title="Operator" note="In the chat service's console" open>
      <OperatorMessage key={contact} contact={contact} />
    </Card>
  );
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
