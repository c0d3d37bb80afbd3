import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { Form } from '../controls/card.tsx';
import { callApi, encodeText, type Message, userPath } from '../state/api.ts';
import { showResult } from '../state/console-state.ts';

/** Edits a message that the user sent, in place of the composer. */
export const EditForm = (props: { contact: string; message: Message; onClose: () => void }) => {
  const { contact, message, onClose } = props;
  const [text, setText] = useState(message.text ?? '');
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);

  const save = async () => {
    const result = await callApi('PATCH', `${userPath(contact)}/messages/${encodeText(message.id)}`, { text });
    showResult(result, () => 'The message was edited and is being delivered again.');
    if (result.ok) onClose();
  };

  return (
    <Form class="composer" onSubmit={save}>
      <p class="edit-title">Edit message</p>
      <div class="composer-row">
        <Button class="round" label="Cancel the edit" onClick={onClose}>
          ×
        </Button>
        <textarea
          rows={1}
          ref={field}
          aria-label="New text"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onClose();
            if (event.key !== 'Enter' || event.shiftKey) return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
        />
        <Button class="round send" label="Save the edit" disabledReason={reasonNotToSave(message, text)}>
          <svg class="save" viewBox="0 0 24 24" aria-hidden="true">
            <path d="m5 13 5 5 9-11" />
          </svg>
        </Button>
      </div>
    </Form>
  );
};

const reasonNotToSave = (message: Message, text: string): string | undefined => {
  if (text.trim() === '') return 'Enter some text first.';
  return text === message.text ? 'Change the text first.' : undefined;
};
