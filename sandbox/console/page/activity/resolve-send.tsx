import { useState } from 'preact/hooks';
import { SelectField, TextField } from '../components/fields.tsx';
import { Form } from '../controls/card.tsx';
import { callApi, encodeText, inspectorPath } from '../state/api.ts';
import { showError, showNotice } from '../state/console-state.ts';
import { refreshTimeline } from '../state/timeline.ts';

const OUTCOMES = [
  { outcome: 'failed', label: 'Not sent: give up' },
  { outcome: 'accepted', label: 'Sent: record the message ID' },
  { outcome: 'resend', label: 'Not sent: send again' },
] as const;
type Outcome = (typeof OUTCOMES)[number]['outcome'];

/** Resolves an uncertain send, as `parley sends resolve` does. */
export const ResolveSend = ({ requestId }: { requestId: string }) => {
  const [outcome, setOutcome] = useState<Outcome | undefined>();
  const [messageId, setMessageId] = useState('');
  const [note, setNote] = useState('');

  const resolve = async () => {
    const result = await callApi<{ state: string }>(
      'POST',
      inspectorPath(`requests/${encodeText(requestId)}/resolution`),
      { outcome, ...(outcome === 'accepted' && { messageId }), ...(note !== '' && { note }) },
    );
    if (!result.ok) return showError(result.error);
    showNotice(`Request ${requestId} resolved. Its state is now ${result.value.state}.`);
    refreshTimeline();
  };

  return (
    <section class="next-action" aria-label="Resolve the uncertain send">
      <h3>Was this message sent?</h3>
      <p>
        Parley does not know whether the chat service accepted this message, and does not retry it. Look for the message
        on the phone, then record what you find. If it was sent and you send it again, the user gets it twice.
      </p>
      <Form onSubmit={resolve}>
        <SelectField
          label="Outcome"
          required
          value={outcome ?? ''}
          onChoose={(value) => setOutcome(OUTCOMES.find((one) => one.outcome === value)?.outcome)}
        >
          <option value="">Choose what happened…</option>
          {OUTCOMES.map((one) => (
            <option key={one.outcome} value={one.outcome}>
              {one.label}
            </option>
          ))}
        </SelectField>
        {outcome === 'accepted' && <TextField label="Message ID" required value={messageId} onText={setMessageId} />}
        <TextField
          label="Note (optional): how you know. It is recorded in the audit trail."
          maxLength={1024}
          value={note}
          onText={setNote}
        />
        <button type="submit" class="primary">
          Resolve
        </button>
      </Form>
    </section>
  );
};
