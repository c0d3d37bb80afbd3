import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { Form } from '../controls/card.tsx';
import { callApi, userPath } from '../state/api.ts';
import { NO_USER, showError, store } from '../state/console-state.ts';
import { selectUnlessMoved } from '../state/navigate.ts';
import { MEDIA_NAMES } from './message-bubble.tsx';

const KINDS = ['image', 'audio', 'file'] as const;
type Kind = (typeof KINDS)[number];

const FIELDS: Readonly<Record<Kind, string>> = { image: 'imageUrls', audio: 'audioUrls', file: 'fileUrls' };
const SAMPLES: Readonly<Record<Kind, string>> = { image: 'parcel.jpg', audio: 'voice.wav', file: 'waybill.pdf' };

/** The parameters of a click-to-chat link: the business number and the prefilled text. */
const LINK = new URLSearchParams(location.search);

/** Sends messages as the selected user, with an optional attachment by URL. */
export const Composer = ({ contact }: { contact: string | undefined }) => {
  const [text, setText] = useState(LINK.get('text') ?? '');
  const [attachment, setAttachment] = useState<{ kind: Kind; url: string } | undefined>();

  const send = async () => {
    if (contact === undefined || (text.trim() === '' && attachment === undefined)) return;
    const body = {
      ...(text.trim() !== '' && { text }),
      ...(LINK.has('chatChannelNumber') && { chatChannelNumber: LINK.get('chatChannelNumber') }),
      ...(attachment && { [FIELDS[attachment.kind]]: [attachment.url] }),
    };
    const { route } = store.get();
    const result = await callApi<{ _id_: string }>('POST', `${userPath(contact)}/messages`, body);
    if (!result.ok) return showError(result.error);
    setText('');
    setAttachment(undefined);
    selectUnlessMoved(route, { kind: 'message', id: result.value._id_ });
  };

  return (
    <Form class="composer" onSubmit={send}>
      {attachment && (
        <fieldset class="attachment-fields">
          <legend class="visually-hidden">Attachment</legend>
          <select
            aria-label="Attachment type"
            value={attachment.kind}
            onChange={({ currentTarget }) => {
              const kind = KINDS.find((one) => one === currentTarget.value);
              if (kind) setAttachment({ kind, url: sampleUrl(kind) });
            }}
          >
            {KINDS.map((kind) => (
              <option key={kind} value={kind}>
                {MEDIA_NAMES[kind]}
              </option>
            ))}
          </select>
          <input
            type="url"
            required
            aria-label="Attachment URL"
            value={attachment.url}
            onInput={({ currentTarget }) => setAttachment({ ...attachment, url: currentTarget.value })}
          />
        </fieldset>
      )}
      <div class="composer-row">
        <Button
          class="round"
          label={attachment ? 'Remove attachment' : 'Attach by URL'}
          disabledReason={contact === undefined ? NO_USER : undefined}
          onClick={() => setAttachment(attachment ? undefined : { kind: 'image', url: sampleUrl('image') })}
        >
          {attachment ? '×' : '+'}
        </Button>
        <textarea
          rows={1}
          aria-label="Message from the user"
          placeholder="Message"
          value={text}
          disabled={contact === undefined}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey) return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
        />
        <Button class="round send" label="Send as user" disabledReason={contact === undefined ? NO_USER : undefined}>
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d="M4 12 20 4l-5 16-3-6z" />
          </svg>
        </Button>
      </div>
    </Form>
  );
};

const sampleUrl = (kind: Kind): string => `${location.origin}/samples/${SAMPLES[kind]}`;
