import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { TextField } from '../components/fields.tsx';
import { useConsole } from '../state/console-state.ts';
import { resumeSending, stopSending } from '../state/stage.ts';
import { Card, Form } from './card.tsx';

/** Stops and resumes sending, as `parley sending` does. */
export const SendingCard = () => {
  const sending = useConsole((state) => state.stage?.sending);
  const [note, setNote] = useState('');
  const stop = async () => {
    if (await stopSending(note)) setNote('');
  };
  const isStopped = sending?.state === 'stopped';
  return (
    <Card title="Sending" note={isStopped ? 'Stopped' : 'Running'}>
      {isStopped ? (
        <Button onClick={() => resumeSending()}>Resume sending</Button>
      ) : (
        <Form onSubmit={stop}>
          <p class="hint">While sending is stopped, requests wait in order.</p>
          <TextField label="Reason for stopping" maxLength={1024} value={note} onText={setNote} />
          <Button
            disabledReason={
              note.trim() === '' ? 'Enter a reason first, so that others know why sending is stopped.' : undefined
            }
          >
            Stop sending
          </Button>
        </Form>
      )}
    </Card>
  );
};
