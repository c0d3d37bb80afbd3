import { useState } from 'preact/hooks';
import { notice } from '../state/console-state.ts';
import { ask, userPath } from '../state/service.ts';
import { choose } from '../state/way.ts';

const KINDS = {
  image: { name: 'Photo', field: 'imageUrls', sample: 'parcel.jpg' },
  audio: { name: 'Audio', field: 'audioUrls', sample: 'voice.wav' },
  file: { name: 'Document', field: 'fileUrls', sample: 'waybill.pdf' },
} as const;
type Kind = keyof typeof KINDS;
const ALL_KINDS: readonly Kind[] = ['image', 'audio', 'file'];

/** What a click-to-chat link brought along: the number to write to, and a text. */
const DRAFT = new URLSearchParams(location.search);

/** Writes as the user, with an attachment by its address. */
export const Composer = ({ contact }: { contact: string | undefined }) => {
  const [text, setText] = useState(DRAFT.get('text') ?? '');
  const [attachment, setAttachment] = useState<{ kind: Kind; url: string } | undefined>();

  const send = async () => {
    if (contact === undefined || (text.trim() === '' && attachment === undefined)) return;
    const body = {
      ...(text.trim() !== '' && { text }),
      ...(DRAFT.has('chatChannelNumber') && { chatChannelNumber: DRAFT.get('chatChannelNumber') }),
      ...(attachment && { [KINDS[attachment.kind].field]: [attachment.url] }),
    };
    const asked = await ask<{ _id_: string }>('POST', `${userPath(contact)}/messages`, body);
    if (!asked.ok) return notice(asked.why, true);
    setText('');
    setAttachment(undefined);
    choose({ kind: 'message', id: asked.value._id_ });
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {attachment && (
        <fieldset class="attach">
          <legend class="visually-hidden">Attachment</legend>
          <select
            aria-label="Kind of attachment"
            value={attachment.kind}
            onChange={({ currentTarget }) => {
              const kind = ALL_KINDS.find((one) => one === currentTarget.value);
              if (kind) setAttachment({ kind, url: sampleUrl(kind) });
            }}
          >
            {ALL_KINDS.map((kind) => (
              <option key={kind} value={kind}>
                {KINDS[kind].name}
              </option>
            ))}
          </select>
          <input
            type="url"
            required
            aria-label="Address of the attachment"
            value={attachment.url}
            onInput={({ currentTarget }) => setAttachment({ ...attachment, url: currentTarget.value })}
          />
        </fieldset>
      )}
      <div class="line">
        <button
          type="button"
          class="round"
          aria-label={attachment ? 'Remove the attachment' : 'Attach by address'}
          disabled={contact === undefined}
          onClick={() => setAttachment(attachment ? undefined : { kind: 'image', url: sampleUrl('image') })}
        >
          {attachment ? '×' : '+'}
        </button>
        <textarea
          rows={1}
          aria-label="Message of the user"
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
        <button type="submit" class="round send" aria-label="Send as the user" disabled={contact === undefined}>
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d="M4 12 20 4l-5 16-3-6z" />
          </svg>
        </button>
      </div>
    </form>
  );
};

const sampleUrl = (kind: Kind): string => `${location.origin}/samples/${KINDS[kind].sample}`;
